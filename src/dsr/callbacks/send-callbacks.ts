import { asAppError } from '../../kernel/index.ts';
import type { CallbackDeps } from './callback-deps.ts';
import { claimCallback } from './claim-callback.ts';
import { dropGivenUp } from './drop-callbacks.ts';
import { findDueCallbacks, postponeCallbacks, type QueuedCallback } from './find-due-callbacks.ts';
import { nextPass, planRetry } from './plan-retry.ts';
import { callbackBody, sendCallback } from './send-callback.ts';
import { type Outcome, settleCallback } from './settle-callback.ts';
import { readSnapshot } from './snapshot.ts';

/** Receivers called at the same time. Each gets the callbacks of a workspace one after the other. */
const RECEIVERS = 8;
/** Calls in a row without an answer after which a receiver rests until the next pass of the queue. */
const MOST_SILENCES = 3;
/** Time after which a slow receiver rests too. */
const TURN_MS = 60_000;
/** Share of the interval that a pass may take. Callbacks left over go first in the next one. */
const PASS_SHARE = 2 / 3;
/** Time after which an attempt counts as lost; longer than any call takes. */
const LOST_MS = 120_000;

/**
 * Sends every due callback whose receiver is neither silent nor slow: one pass of the queue (D-064). Several daemons may
 * run it at once; a claim gives each attempt to one of them. An attempt that a crash or `signal` leaves open is retried with
 * the same body.
 */
export async function sendCallbacks(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  const { store, clock, intervalMs } = deps;
  const startedMs = clock.nowMs();
  const isOver = () => signal.aborted || hasPassed(clock, startedMs, intervalMs * PASS_SHARE);
  const pass: Pass = { signal, isOver, silences: new Map(), resting: new Set() };
  while (!isOver()) {
    const due = await findDueCallbacks(store, clock.nowMs());
    if (due.length === 0) break;
    // without a certificate no attempt is begun
    await deps.processor.current();
    await eachReceiver(byReceiver(due), (turn) => sendInTurn(deps, turn, pass));
  }
  await dropGivenUp(store, clock.nowMs());
}

interface Pass {
  readonly signal: AbortSignal;
  isOver(): boolean;
  /** Calls in a row without an answer, by receiver. */
  readonly silences: Map<string, number>;
  /** Receivers that are not called again in this pass. */
  readonly resting: Set<string>;
}

/** Due callbacks of one workspace to one receiver. */
type Turn = readonly [key: string, callbacks: readonly QueuedCallback[]];

async function sendInTurn(deps: CallbackDeps, [key, callbacks]: Turn, pass: Pass): Promise<void> {
  const startedMs = deps.clock.nowMs();
  let isFailing = false;
  for (const callback of callbacks) {
    if (pass.isOver() || pass.resting.has(key)) break;
    try {
      const outcome = await attempt(deps, callback, pass.signal);
      const silences = countSilences(pass, key, outcome);
      if (silences >= MOST_SILENCES || hasPassed(deps.clock, startedMs, TURN_MS)) pass.resting.add(key);
    } catch (thrown) {
      logFailure(deps, callback, thrown);
      isFailing = true;
    }
  }
  // else this pass would find the callback due again and again
  if (isFailing) pass.resting.add(key);
  const [first] = callbacks;
  if (first !== undefined && pass.resting.has(key)) await postponeRest(deps, first);
}

/** Logs the failure of one callback. Throws failures of the store, which concern all callbacks. */
function logFailure({ log }: CallbackDeps, { workspaceId, requestId, id }: QueuedCallback, thrown: unknown): void {
  const error = asAppError(thrown);
  if (error.code === 'STORE_UNAVAILABLE') throw error;
  log.error(
    { workspace: String(workspaceId), request: requestId, callback: String(id), err: error },
    'dsr.callback-failed',
  );
}

function countSilences({ silences }: Pass, key: string, outcome: Outcome | undefined): number {
  const before = silences.get(key) ?? 0;
  if (outcome === undefined) return before;
  const now = outcome.status === undefined ? before + 1 : 0;
  silences.set(key, now);
  return now;
}

/** Postpones the remaining callbacks of a silent or slow receiver to the next pass, without counting a failure. */
async function postponeRest(
  { store, clock, intervalMs }: CallbackDeps,
  { workspaceId, receiver }: QueuedCallback,
): Promise<void> {
  const nowMs = clock.nowMs();
  await postponeCallbacks(store, { workspaceId, receiver, nowMs, until: nextPass({ nowMs, intervalMs }) });
}

/** Makes one attempt. Returns undefined where another daemon has claimed it. */
async function attempt(
  deps: CallbackDeps,
  callback: QueuedCallback,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { store, clock, intervalMs, log } = deps;
  const { workspaceId, id, nextAttemptOn, failures } = callback;
  const nowMs = clock.nowMs();
  const due = { on: nextAttemptOn, lostOn: new Date(nowMs + LOST_MS) };
  const claim = await claimCallback(store, { workspaceId, id, body: callbackBody(deps, callback), nowMs, due });
  if (claim === undefined) return undefined;
  const outcome = await sendCallback(deps, { ...claim, version: readSnapshot(callback.snapshot).version }, signal);
  const retryOn = planRetry(failures + 1, { nowMs, intervalMs }) ?? 'never';
  await settleCallback(store, claim, { ...outcome, nowMs: clock.nowMs(), retryOn });
  if (outcome.error !== undefined && retryOn === 'never') {
    const fields = { workspace: String(workspaceId), request: callback.requestId, callback: String(id) };
    log.warn({ ...fields, receiver: callback.receiver, reason: outcome.error }, 'dsr.callback-given-up');
  }
  return outcome;
}

const keyOf = ({ workspaceId, receiver }: QueuedCallback): string => `${workspaceId} ${receiver}`;

/** Groups callbacks by workspace and receiver, so that a receiver that fails for one workspace stays open for the others. */
function byReceiver(callbacks: readonly QueuedCallback[]): Turn[] {
  return [...Map.groupBy(callbacks, keyOf)];
}

/** Tells whether a time has passed. A clock set back by as much counts too. */
function hasPassed(clock: CallbackDeps['clock'], sinceMs: number, waitMs: number): boolean {
  return Math.abs(clock.nowMs() - sinceMs) >= waitMs;
}

async function eachReceiver<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const take = async (): Promise<void> => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await work(item);
  };
  // all receivers have ended before a failure is thrown
  const ended = await Promise.allSettled(Array.from({ length: RECEIVERS }, take));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
