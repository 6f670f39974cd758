import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { AppError, sleepUnheld } from '../../../src/kernel/index.ts';
import type { AnswerMessage, CallMessage, Calls, CancelMessage } from '../wire/messages.ts';
import { readSlot } from '../wire/shared-file.ts';
import { cannotStart, type StartedChild, startChild } from './start-child.ts';

/** Limits of a call. */
export interface CallLimits {
  readonly signal: AbortSignal;
  /** Milliseconds after which the child is ended. It ends its statements itself, so this is for one that does not react. */
  readonly limitMs: number;
}

/** A call that was not answered yet. */
interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (failure: AppError) => void;
  /** Statement on which the child works for this call; undefined where it works on none. */
  readonly statement: string | undefined;
  readonly limitMs: number;
  waitedMs: number;
  /** Milliseconds since it was cancelled. */
  cancelledMs: number | undefined;
}

const TICK_MS = 500;
/** Milliseconds in which a child has to answer a cancelled call. */
const CANCEL_GRACE_MS = 3000;
/** Milliseconds in which a child has to break off a statement whose time is over. */
const LATE_GRACE_MS = 5000;

/** One child and the calls to it. */
export class Host {
  readonly #memoryMb: number;
  readonly #child: StartedChild;
  readonly #slots: number[] = [];
  #slotCount = 0;
  readonly #waiting = new Map<number, Waiting>();
  readonly #gone = Promise.withResolvers<void>();
  #calls = 0;
  #isAlive = true;
  #isWatching = false;
  /** Reason for which the daemon ended the child. */
  #reason: AppError | undefined;

  /** Starts a child whose rows may pass through a file in `folder`. */
  constructor(memoryMb: number, folder: string) {
    this.#memoryMb = memoryMb;
    this.#child = startChild(memoryMb, folder);
    const { process } = this.#child;
    process.on('exit', (code, signal) => this.#end(signal ?? `exit code ${code}`));
    process.on('error', (failure) => {
      if (process.pid === undefined) this.#reason = cannotStart(failure);
      this.#end(failure.message);
    });
    // a broken channel is a child that is ending
    process.on('disconnect', () => this.#kill());
    process.on('message', (message) => this.#take(message as AnswerMessage));
  }

  /** End of the child. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /**
   * Calls the child. An abort interrupts the call; a child that does not answer soon after that, or in time, is ended. Throws
   * WAREHOUSE_DATA where the child ended under its only statement, and WAREHOUSE_SESSION_LOST where it had none or several.
   */
  async call<Call extends keyof Calls>(
    call: Call,
    take: Calls[Call]['take'],
    { signal, limitMs }: CallLimits,
  ): Promise<Calls[Call]['answer']> {
    if (!this.#isAlive) throw new AppError('WAREHOUSE_SESSION_LOST', 'The process of DuckDB has ended.');
    this.#calls += 1;
    const id = this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const statement = statementOf(id, call, take);
    const own: Waiting = { resolve, reject, statement, limitMs, waitedMs: 0, cancelledMs: undefined };
    const interrupt = () => {
      own.cancelledMs = 0;
      this.#send({ cancel: id });
    };
    this.#waiting.set(id, own);
    this.#send({ id, call, take });
    void this.#watch();
    signal.addEventListener('abort', interrupt);
    if (signal.aborted) interrupt();
    try {
      return (await promise) as Calls[Call]['answer'];
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  /** Ends the child and waits until it is gone. */
  async end(): Promise<void> {
    this.#kill();
    await this.#gone.promise;
  }

  /** Returns slots of the shared file that nobody else uses until they are released. */
  takeSlots(count: number): readonly number[] {
    while (this.#slots.length < count) this.#slots.push(this.#slotCount++);
    return this.#slots.splice(-count);
  }

  releaseSlots(slots: readonly number[]): void {
    this.#slots.push(...slots);
  }

  /** Reads what the child wrote into a slot. */
  readSlot(slot: number, target: Uint8Array): void {
    if (!this.#isAlive) throw new AppError('WAREHOUSE_SESSION_LOST', 'The process of DuckDB has ended.');
    readSlot(this.#child.file, slot, target);
  }

  /** Keeps the daemon from ending while the child runs, or lets it end. */
  hold(isHeld: boolean): void {
    const { process } = this.#child;
    // the channel of a child that is ending is gone
    for (const part of [process, process.channel, process.stderr] as readonly (Holding | null | undefined)[]) {
      if (isHeld) part?.ref?.();
      else part?.unref?.();
    }
  }

  #send(message: CallMessage | CancelMessage): void {
    // where the child has ended, or could not start, that fails the call
    if (this.#child.process.connected) this.#child.process.send(message, () => undefined);
  }

  #take(said: AnswerMessage): void {
    const call = this.#waiting.get(said.id);
    this.#waiting.delete(said.id);
    if (!('failure' in said)) call?.resolve(said.answer);
    else call?.reject(new AppError(said.failure.code, said.failure.message, { issues: said.failure.issues }));
  }

  /** Ends a child that does not react. Ticks are counted and no clock is read, so that a clock that jumps ends nothing. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while (this.#waiting.size > 0) {
      await sleepUnheld(TICK_MS);
      for (const call of this.#waiting.values()) this.#tick(call);
    }
    this.#isWatching = false;
  }

  #tick(call: Waiting): void {
    call.waitedMs += TICK_MS;
    if (call.cancelledMs !== undefined) call.cancelledMs += TICK_MS;
    if ((call.cancelledMs ?? 0) > CANCEL_GRACE_MS) this.#kill(new AppError('CANCELLED', 'The work was cancelled.'));
    if (call.waitedMs > call.limitMs + LATE_GRACE_MS) this.#kill(stuck(call.limitMs));
  }

  #kill(why?: AppError): void {
    if (!this.#isAlive) return;
    this.#reason ??= why;
    this.#child.process.kill('SIGKILL');
  }

  #end(said: string): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    const statements = new Set([...this.#waiting.values()].flatMap(({ statement }) => statement ?? [])).size;
    const death = { said, memoryMb: this.#memoryMb, lastWords: this.#child.lastWords(), statements };
    const failure = this.#reason ?? deathOf(death);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
    closeSync(this.#child.file);
    this.#gone.resolve();
  }
}

function stuck(limitMs: number): AppError {
  const message =
    `DuckDB did not stop the statement ${limitMs / 1000} s after it began, so its process was ended. Reduce the model, ` +
    'or raise PENSTOCK_WAREHOUSE_TIMEOUT_S.';
  return new AppError('WAREHOUSE_TIMEOUT', message);
}

type Holding = Partial<Pick<ChildProcess, 'ref' | 'unref'>>;

/** Returns a name of the statement that a call is about. All calls about one stream, or one transaction, have the same. */
function statementOf(id: number, call: keyof Calls, take: Calls[keyof Calls]['take']): string | undefined {
  if (call === 'open' || call === 'close') return undefined;
  if ('stream' in take) return `stream ${take.stream}`;
  return 'transaction' in take ? `transaction ${take.transaction}` : `call ${id}`;
}

interface Death {
  readonly said: string;
  readonly memoryMb: number;
  readonly lastWords: string;
  readonly statements: number;
}

/** Returns the error of the calls that a child left unanswered. */
function deathOf({ said, memoryMb, lastWords, statements }: Death): AppError {
  const cause = new Error(`${said}${lastWords === '' ? '' : `: ${lastWords}`}`);
  if (statements !== 1) {
    const work = statements === 0 ? 'before a statement' : 'while several statements';
    const message = `The process of DuckDB ended (${said}) ${work} worked in it; Penstock tries again.`;
    return new AppError('WAREHOUSE_SESSION_LOST', message, { cause });
  }
  const message =
    `The process of DuckDB ended (${said}) while it worked on this statement, which most likely needed far more memory than ` +
    `the ${memoryMb} MiB of PENSTOCK_DUCKDB_MEMORY_MB. Reduce the model (shorter lists and texts, fewer columns), or raise the setting.`;
  return new AppError('WAREHOUSE_DATA', message, { cause });
}
