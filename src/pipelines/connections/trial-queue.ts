// The line of trials: calls of the API that ask a warehouse and wait for its answer. Each holds a connection to a warehouse, and
// a DuckDB one also memory of this machine. They never use the workers of runs.
import PQueue from 'p-queue';
import { AppError, type Clock, type WorkspaceId } from '../../kernel/index.ts';

/** Trials in progress at the same time: of one workspace, and of all of them on this daemon. */
const MOST_OF_WORKSPACE = 4;
const MOST_OF_ALL = 12;
/** Trials that wait at the same time. */
const MOST_WAITING_OF_WORKSPACE = 16;
const MOST_WAITING_OF_ALL = 64;
const MOST_WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;
/**
 * Longest window of a rate of six a minute and more. Shorter than the longest wait, so that who sends one trial after another is
 * only slowed down.
 */
const WINDOW_MS = 10_000;

/** A call that is to wait its turn. */
export interface TrialRequest {
  readonly workspaceId: WorkspaceId;
  /** Aborts when the caller disconnects, who then leaves the line. A trial in progress must watch it itself. */
  readonly signal: AbortSignal;
}

/**
 * Runs a trial when its turn comes. Throws RATE_LIMITED where too many wait or its turn does not come in time, and the reason
 * of the signal.
 */
export type RunTrial = <Answer>(request: TrialRequest, trial: () => Promise<Answer>) => Promise<Answer>;

interface TrialQueueOptions {
  readonly clock: Clock;
  /** Trials that one workspace may start in a minute. */
  readonly perMinute: number;
}

interface WorkspaceQueue {
  readonly queue: PQueue;
  usedMs: number;
}

/** Creates the line: one queue for each workspace in front of one for the daemon, so that no workspace takes all of it. */
export function createTrialQueue({ clock, perMinute }: TrialQueueOptions): RunTrial {
  const ofAll = new PQueue({ concurrency: MOST_OF_ALL });
  const queues = new Map<WorkspaceId, WorkspaceQueue>();
  const rate = rateOf(perMinute);
  const queueOf = (workspaceId: WorkspaceId): PQueue => {
    const nowMs = clock.nowMs();
    const known = queues.get(workspaceId);
    if (known === undefined) forgetIdle(queues, { nowMs, ...rate });
    const queue = known?.queue ?? new PQueue({ concurrency: MOST_OF_WORKSPACE, ...rate, strict: true });
    queues.set(workspaceId, { queue, usedMs: nowMs });
    return queue;
  };
  return async ({ workspaceId, signal }, trial) => {
    signal.throwIfAborted();
    const queue = queueOf(workspaceId);
    if (queue.size >= MOST_WAITING_OF_WORKSPACE) throw tooMany(`${queue.size} calls of this workspace`);
    const waiting = Iterator.from(queues.values()).reduce((sum, each) => sum + each.queue.size, ofAll.size);
    if (waiting >= MOST_WAITING_OF_ALL) throw tooMany(`${waiting} calls of all workspaces`);
    return await inLine({ clock, signal }, (leave, start) => {
      const begin = () => {
        start();
        const own = queues.get(workspaceId);
        if (own !== undefined) own.usedMs = clock.nowMs();
        return trial();
      };
      return queue.add(() => ofAll.add(begin, { signal: leave }), { signal: leave });
    });
  };
}

/** Trials that may start in a window, and the length of the window in ms. */
interface Rate {
  readonly intervalCap: number;
  readonly interval: number;
}

/** Returns the rate with a whole number of trials a window. The window gives way, so that the rate is met exactly. */
function rateOf(perMinute: number): Rate {
  const intervalCap = Math.max(1, Math.floor((perMinute * WINDOW_MS) / 60_000));
  return { intervalCap, interval: (intervalCap * 60_000) / perMinute };
}

/** Drops the queues whose rate limit has nothing left to remember. */
function forgetIdle(queues: Map<WorkspaceId, WorkspaceQueue>, { nowMs, interval }: Rate & { nowMs: number }): void {
  for (const [id, { queue, usedMs }] of queues)
    if (queue.size === 0 && queue.pending === 0 && Math.abs(nowMs - usedMs) > interval) queues.delete(id);
}

type Join<Answer> = (leave: AbortSignal, start: () => void) => Promise<Answer>;

/**
 * Waits in a line until `start` is called. Leaves it when the caller disconnects or the wait is too long; a trial that has
 * started keeps its place until it ends.
 */
async function inLine<Answer>({ clock, signal }: TrialDeps, join: Join<Answer>): Promise<Answer> {
  const leaving = new AbortController();
  const started = new AbortController();
  const onAbort = () => leaving.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const answer = join(leaving.signal, () => {
    signal.removeEventListener('abort', onAbort);
    started.abort();
  });
  const timer = started.signal.aborted
    ? undefined
    : clock.sleep(MOST_WAIT_MS, started.signal).then(
        () => leaving.abort(tooLong()),
        () => undefined,
      );
  try {
    return await answer;
  } finally {
    signal.removeEventListener('abort', onAbort);
    started.abort();
    await timer;
  }
}

interface TrialDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const WHAT = 'previews, dry runs, validations and connection tests';

function tooMany(who: string): AppError {
  return new AppError('RATE_LIMITED', `${who} wait already for their turn at ${WHAT}. Send fewer at the same time.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function tooLong(): AppError {
  const message =
    `The call waited ${MOST_WAIT_MS / 1000} seconds for its turn, because too many ${WHAT} are in progress or were ` +
    'started within a minute (PENSTOCK_TRIALS_PER_MINUTE). Send it again later.';
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
