import { asAppError } from '../../kernel/index.ts';
import type { CallbackDeps } from './callback-deps.ts';
import { claimCallback } from './claim-callback.ts';
import { dropGivenUp } from './drop-callbacks.ts';
import { dueCallbacks, postponeCallbacks, type QueuedCallback } from './due-callbacks.ts';
import { nextDeparture, planRetry } from './plan-retry.ts';
import { bodyOf, sendCallback } from './send-callback.ts';
import { type Outcome, settleCallback } from './settle-callback.ts';

/** Receivers that are called at the same time; of one workspace, each hears of one callback after the other. */
const RECEIVERS = 8;
/** A receiver that gave no answer so often is not called again until the queue goes out the next time. */
const MOST_SILENCES = 3;
/** Nor is one that took so long over its part of a batch. */
const TURN_MS = 60_000;
/** How much of the interval a departure takes at most: what is still due then goes first in the next one. */
const DEPARTURE_SHARE = 2 / 3;
/** Longer than a call may take: an attempt that has not ended by then never will. */
const LOST_MS = 120_000;

/**
 * Sends every due callback whose receiver is neither silent nor slow: one departure of the queue (D-064). Several
 * daemons may do so at once; each attempt belongs to one of them. An attempt that a crash or `signal` leaves open is
 * tried again with the same body.
 */
export async function sendCallbacks(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  const { store, clock, intervalMs } = deps;
  const startedMs = clock.nowMs();
  const isOver = () => signal.aborted || hasPassed(clock, startedMs, intervalMs * DEPARTURE_SHARE);
  const departure: Departure = { signal, isOver, silences: new Map(), resting: new Set() };
  while (!isOver()) {
    const due = await dueCallbacks(store, clock.nowMs());
    if (due.length === 0) break;
    // without a certificate nothing is begun
    await deps.processor.current();
    await eachReceiver(byReceiver(due), (turn) => sendInTurn(deps, turn, departure));
  }
  await dropGivenUp(store, clock.nowMs());
}

interface Departure {
  readonly signal: AbortSignal;
  isOver(): boolean;
  /** Calls in a row that a receiver gave no answer to. */
  readonly silences: Map<string, number>;
  /** Receivers that are not called again in this departure. */
  readonly resting: Set<string>;
}

/** What is due of one workspace to one receiver. */
type Turn = readonly [key: string, callbacks: readonly QueuedCallback[]];

async function sendInTurn(deps: CallbackDeps, [key, callbacks]: Turn, departure: Departure): Promise<void> {
  const startedMs = deps.clock.nowMs();
  let isFailing = false;
  for (const callback of callbacks) {
    if (departure.isOver() || departure.resting.has(key)) break;
    try {
      const outcome = await attempt(deps, callback, departure.signal);
      const silences = countSilences(departure, key, outcome);
      if (silences >= MOST_SILENCES || hasPassed(deps.clock, startedMs, TURN_MS)) departure.resting.add(key);
    } catch (thrown) {
      logFailure(deps, callback, thrown);
      isFailing = true;
    }
  }
  // else this departure would find it due again and again
  if (isFailing) departure.resting.add(key);
  const [first] = callbacks;
  if (first !== undefined && departure.resting.has(key)) await postponeRest(deps, first);
}

/** Throws what is no fault of the callback. */
function logFailure({ log }: CallbackDeps, { workspaceId, requestId, id }: QueuedCallback, thrown: unknown): void {
  const error = asAppError(thrown);
  if (error.code === 'STORE_UNAVAILABLE') throw error;
  log.error(
    { workspace: String(workspaceId), request: requestId, callback: String(id), err: error },
    'dsr.callback-failed',
  );
}

function countSilences({ silences }: Departure, key: string, outcome: Outcome | undefined): number {
  const before = silences.get(key) ?? 0;
  if (outcome === undefined) return before;
  const now = outcome.status === undefined ? before + 1 : 0;
  silences.set(key, now);
  return now;
}

/** What is left of a receiver that is silent or slow goes out the next time; nothing of it counts as a failure. */
async function postponeRest(
  { store, clock, intervalMs }: CallbackDeps,
  { workspaceId, receiver }: QueuedCallback,
): Promise<void> {
  const nowMs = clock.nowMs();
  await postponeCallbacks(store, { workspaceId, receiver, nowMs, until: nextDeparture({ nowMs, intervalMs }) });
}

/** Undefined: another daemon has it. */
async function attempt(
  deps: CallbackDeps,
  callback: QueuedCallback,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { store, clock, intervalMs, log } = deps;
  const { workspaceId, id, nextAttemptOn, failures } = callback;
  const nowMs = clock.nowMs();
  const due = { on: nextAttemptOn, lostOn: new Date(nowMs + LOST_MS) };
  const claim = await claimCallback(store, { workspaceId, id, body: bodyOf(deps, callback), nowMs, due });
  if (claim === undefined) return undefined;
  const outcome = await sendCallback(deps, claim, signal);
  const retryOn = planRetry(failures + 1, { nowMs, intervalMs }) ?? 'never';
  await settleCallback(store, claim, { ...outcome, nowMs: clock.nowMs(), retryOn });
  if (outcome.error !== undefined && retryOn === 'never') {
    const fields = { workspace: String(workspaceId), request: callback.requestId, callback: String(id) };
    log.warn({ ...fields, receiver: callback.receiver, reason: outcome.error }, 'dsr.callback-given-up');
  }
  return outcome;
}

const keyOf = ({ workspaceId, receiver }: QueuedCallback): string => `${workspaceId} ${receiver}`;

/** By workspace as well: what one workspace's URLs do to a receiver is nothing to another's. */
function byReceiver(callbacks: readonly QueuedCallback[]): Turn[] {
  return [...Map.groupBy(callbacks, keyOf)];
}

/** A clock that was set back ends it as well. */
function hasPassed(clock: CallbackDeps['clock'], sinceMs: number, waitMs: number): boolean {
  return Math.abs(clock.nowMs() - sinceMs) >= waitMs;
}

async function eachReceiver<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const take = async (): Promise<void> => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await work(item);
  };
  // all of them have ended before a failure is told
  const ended = await Promise.allSettled(Array.from({ length: RECEIVERS }, take));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
