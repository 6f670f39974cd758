import { AppError, systemClock } from '../kernel/index.ts';
import type { Cell } from './cells.ts';
import { requireDescribedColumns, requireDistinctColumns } from './columns.ts';
import type { ReadRequest, ReadResult, Session } from './connector.ts';
import type { WriteBack, WriteBackPortions } from './write-back.ts';

type Rows = readonly (readonly Cell[])[];
type Classify = (error: unknown) => AppError;

/** Returns the session with the guarantees that `defineConnector` lists, whatever the connector does. */
export function guardSession(session: Session, classify: Classify): Session {
  const open = new Set<ChunkIterator>();
  let closing: Promise<void> | undefined;
  const guarded = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => runGuarded(signal, classify, work);
  const { estimate, exactText, previewRange, writeBack } = session;
  return {
    ...(estimate === undefined
      ? {}
      : { estimate: (statement, signal) => guarded(signal, () => estimate.call(session, statement, signal)) }),
    ...(exactText === undefined
      ? {}
      : { exactText: (signal) => guarded(signal, () => exactText.call(session, signal)) }),
    ...(previewRange === undefined ? {} : { previewRange: (sql) => previewRange.call(session, sql) }),
    ...(writeBack === undefined ? {} : { writeBack: guardWriteBack(writeBack, guarded, classify) }),
    probe: (signal) => guarded(signal, () => session.probe(signal)),
    clock: (signal) => guarded(signal, () => session.clock(signal)),
    describe: (statement, signal) =>
      guarded(signal, async () => requireDistinctColumns(await session.describe(statement, signal))),
    read: (request, signal) => guarded(signal, () => readGuarded(request, signal)),
    [Symbol.asyncDispose]: () => {
      closing ??= close();
      return closing;
    },
  };

  async function readGuarded(request: ReadRequest, signal: AbortSignal): Promise<ReadResult> {
    const { columns, chunks } = await session.read(request, signal);
    const iterator = chunkIterator({
      inner: chunks[Symbol.asyncIterator](),
      signal,
      classify,
      done: () => open.delete(iterator),
    });
    open.add(iterator);
    try {
      requireDistinctColumns(columns);
      if (request.described !== undefined) requireDescribedColumns(columns, request.described);
    } catch (misfit) {
      await iterator.return();
      throw misfit;
    }
    return { columns, chunks: { [Symbol.asyncIterator]: () => iterator } };
  }

  async function close(): Promise<void> {
    for (const iterator of [...open]) await iterator.return();
    await letGo(classify, async () => session[Symbol.asyncDispose]());
  }
}

type Guard = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

function guardWriteBack(inner: WriteBack, guarded: Guard, classify: Classify): WriteBack {
  const { openPortions } = inner;
  return {
    ...(openPortions === undefined
      ? {}
      : { openPortions: (request) => guardPortions(openPortions.call(inner, request), guarded, classify) }),
    apply: (request, signal) => guarded(signal, () => inner.apply(request, signal)),
    clear: (target, mpids, signal) => guarded(signal, () => inner.clear(target, mpids, signal)),
    listStaging: (prefix, signal) => guarded(signal, () => inner.listStaging(prefix, signal)),
    dropStaging: (names, signal) => guarded(signal, () => inner.dropStaging(names, signal)),
  };
}

function guardPortions(inner: WriteBackPortions, guarded: Guard, classify: Classify): WriteBackPortions {
  return {
    load: (rows, signal) => guarded(signal, () => inner.load(rows, signal)),
    apply: (signal) => guarded(signal, () => inner.apply(signal)),
    [Symbol.asyncDispose]: () => letGo(classify, async () => inner[Symbol.asyncDispose]()),
  };
}

/** Longest time that a connector may take to free its resources after an abort or at the end. Then it is left behind. */
const GRACE_MS = 5000;

/** Runs `work` unless the signal is aborted already. Throws only AppError; after an abort it is CANCELLED. */
export async function runGuarded<T>(
  signal: AbortSignal | undefined,
  classify: Classify,
  work: () => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw cancelled(signal);
  try {
    return await (signal === undefined ? work() : withGrace(signal, work()));
  } catch (thrown) {
    if (signal?.aborted) throw cancelled(signal, thrown);
    throw thrown instanceof AppError ? thrown : classify(thrown);
  }
}

/**
 * Resolves with the work, or rejects once the grace after an abort is over.
 * It runs for every piece of the rows, so it uses nothing that a WeakRef holds (an AbortController of its own, a listener with
 * a signal). Such an object, and the rows it refers to, would survive all collections of the young generation.
 */
function withGrace<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let settled: AbortController | undefined;
    const start = () => {
      settled = new AbortController();
      void wait(settled.signal).then(reject, () => undefined);
    };
    const stop = () => {
      signal.removeEventListener('abort', start);
      settled?.abort();
    };
    signal.addEventListener('abort', start, { once: true });
    work.then(resolve, reject).finally(stop);
  });
}

async function wait(settled: AbortSignal): Promise<AppError> {
  await systemClock.sleep(GRACE_MS, settled);
  return new AppError('CANCELLED', 'The work was cancelled and did not stop in time.');
}

/** Waits for freeing, at most as long as the grace. Slower work goes on by itself, and its failure is ignored. */
async function letGo(classify: Classify, work: () => Promise<unknown>): Promise<void> {
  const settled = new AbortController();
  const done = runGuarded(undefined, classify, work).finally(() => settled.abort());
  await Promise.race([done, systemClock.sleep(GRACE_MS, settled.signal).catch(() => done)]);
}

function cancelled(signal: AbortSignal, cause: unknown = signal.reason): AppError {
  if (signal.reason instanceof AppError) return signal.reason;
  return new AppError('CANCELLED', 'The work was cancelled.', { cause });
}

interface ChunkIterator extends AsyncIterator<Rows, undefined> {
  return(): Promise<IteratorReturnResult<undefined>>;
}

interface GuardedChunks {
  readonly inner: AsyncIterator<Rows>;
  readonly signal: AbortSignal;
  readonly classify: Classify;
  readonly done: () => void;
}

/**
 * Returns an iterator whose `return` frees the connector's. A generator cannot do that: one that was never started skips its
 * `finally`.
 */
function chunkIterator({ inner, signal, classify, done }: GuardedChunks): ChunkIterator {
  const over: IteratorReturnResult<undefined> = { done: true, value: undefined };
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ended ??= letGo(classify, async () => inner.return?.()).finally(done);
    return ended;
  };
  return {
    async next() {
      if (ended !== undefined) return over;
      try {
        const result = await runGuarded(signal, classify, () => inner.next());
        if (!result.done) return { done: false, value: result.value };
      } catch (failure) {
        // reports the failure, not what the clean-up meets after it
        await end().catch(() => undefined);
        throw failure;
      }
      await end();
      return over;
    },
    async return() {
      await end();
      return over;
    },
  };
}
