// One time limit for an attempt over all hosts, each of which has several addresses with a limit of its own.
import { AppError, field, say, systemClock } from '../../../src/kernel/index.ts';
import { type RedshiftConfig, targetsOf } from '../config.ts';

/** Limit of one attempt. With it an attempt ends soon, whatever names lead to; two slow addresses fit within. */
const LIMIT_MS = 30_000;

/** One attempt to reach a server. */
export interface Attempt {
  /** Aborted by the caller, and at the time limit. */
  readonly signal: AbortSignal;
  /** Waits for work that takes no signal. Throws when the signal is aborted. */
  wait<Result>(work: Promise<Result>): Promise<Result>;
  /** Notes the server that is tried next, as `serverOf` names it. Throws when the signal is aborted. */
  begin(server: string): void;
}

interface Limits {
  readonly config: Pick<RedshiftConfig, 'host' | 'port'>;
  /** Time for all hosts and addresses together. Default: 30 s. */
  readonly connectMs?: number;
}

/** Runs an attempt. Throws WAREHOUSE_UNREACHABLE with the servers that were tried where the time limit ended it. */
export async function withinLimit<Result>(
  { config, connectMs = LIMIT_MS }: Limits,
  signal: AbortSignal,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const tried = new Set<string>();
  const settled = new AbortController();
  const over = new AbortController();
  void systemClock.sleep(connectMs, settled.signal).then(
    () => over.abort(),
    () => undefined,
  );
  const either = AbortSignal.any([signal, over.signal]);
  const attempt: Attempt = {
    signal: either,
    wait: (waited) => waitUntilAborted(waited, either),
    begin(server) {
      either.throwIfAborted();
      tried.add(server);
    },
  };
  try {
    return await work(attempt);
  } catch (failure) {
    if (!over.signal.aborted || signal.aborted) throw failure;
    throw noServerWithin(connectMs, { config, tried }, failure);
  } finally {
    settled.abort();
  }
}

/** Names a server in messages. */
export function serverOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}

async function waitUntilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const settled = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: settled.signal });
  try {
    return await Promise.race([work, promise]);
  } finally {
    settled.abort();
  }
}

interface Tries {
  readonly config: Limits['config'];
  readonly tried: ReadonlySet<string>;
}

function noServerWithin(limitMs: number, { config, tried }: Tries, cause: unknown): AppError {
  const left = targetsOf(config)
    .map(serverOf)
    .filter((server) => !tried.has(server));
  const named =
    tried.size === 0
      ? 'Tried: none, because their names or the sign-in took that time'
      : `Tried: ${[...tried].join(', ')}`;
  const others = left.length === 0 ? '' : ` Not tried: ${left.join(', ')}.`;
  const words = say`No server accepted the connection within ${limitMs / 1000} s. ${named}.${others} Check ${field('config.host')} and ${field('config.port')}, and remove hosts that do not answer.`;
  return new AppError('WAREHOUSE_UNREACHABLE', words, { cause });
}
