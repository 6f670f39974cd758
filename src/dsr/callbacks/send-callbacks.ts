import type { CallbackDeps } from './callback-deps.ts';
import { claimCallback } from './claim-callback.ts';
import { dropGivenUp } from './drop-callbacks.ts';
import { dueCallbacks, type QueuedCallback } from './due-callbacks.ts';
import { planRetry } from './plan-retry.ts';
import { bodyOf, sendCallback } from './send-callback.ts';
import { type Outcome, settleCallback } from './settle-callback.ts';

/** Receivers that are called at the same time; each hears of one callback after the other. */
const RECEIVERS = 8;
/** A receiver that gave no answer so often is not called again until the queue goes out the next time. */
const MOST_SILENCES = 3;
/** Longer than a call may take: an attempt that has not ended by then never will. */
const LOST_MS = 120_000;
const NOT_TRIED: Outcome = { status: undefined, error: 'Not tried: the host gave no answer to the calls before.' };

/**
 * One departure of the queue (001, Events; rulings §4): every callback that is due is sent. Several daemons may do so at
 * once; each attempt is one daemon's. What a crash or `signal` leaves open is tried again with the same body.
 */
export async function sendCallbacks(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  const departure: Departure = { signal, silences: new Map() };
  while (!signal.aborted) {
    const due = await dueCallbacks(store, clock.nowMs());
    if (due.length === 0) break;
    // without a certificate nothing is begun
    await deps.processor.current();
    await eachReceiver([...byReceiver(due)], ([_receiver, callbacks]) => sendInTurn(deps, callbacks, departure));
  }
  await dropGivenUp(store, clock.nowMs());
}

interface Departure {
  readonly signal: AbortSignal;
  /** Calls in a row that a receiver gave no answer to. */
  readonly silences: Map<string, number>;
}

async function sendInTurn(
  deps: CallbackDeps,
  callbacks: readonly QueuedCallback[],
  { signal, silences }: Departure,
): Promise<void> {
  for (const callback of callbacks) {
    if (signal.aborted) return;
    const silent = silences.get(callback.receiver) ?? 0;
    const outcome = await attempt(deps, callback, { signal, isTried: silent < MOST_SILENCES });
    if (outcome !== undefined) silences.set(callback.receiver, outcome.status === undefined ? silent + 1 : 0);
  }
}

/** Undefined: another daemon has it. */
async function attempt(
  deps: CallbackDeps,
  callback: QueuedCallback,
  { signal, isTried }: { readonly signal: AbortSignal; readonly isTried: boolean },
): Promise<Outcome | undefined> {
  const { store, clock, intervalMs, log } = deps;
  const { workspaceId, id, nextAttemptOn, failures } = callback;
  const nowMs = clock.nowMs();
  const due = { on: nextAttemptOn, lostOn: new Date(nowMs + LOST_MS) };
  const claim = await claimCallback(store, { workspaceId, id, body: bodyOf(deps, callback), nowMs, due });
  if (claim === undefined) return undefined;
  const outcome = isTried ? await sendCallback(deps, claim, signal) : NOT_TRIED;
  const retryOn = planRetry(failures + 1, { nowMs, intervalMs }) ?? 'never';
  await settleCallback(store, claim, { ...outcome, nowMs: clock.nowMs(), retryOn });
  if (outcome.error !== undefined && retryOn === 'never') {
    const fields = { workspace: String(workspaceId), request: callback.requestId, callback: String(id) };
    log.warn({ ...fields, receiver: callback.receiver, reason: outcome.error }, 'dsr.callback-given-up');
  }
  return outcome;
}

function byReceiver(callbacks: readonly QueuedCallback[]): ReadonlyMap<string, readonly QueuedCallback[]> {
  return Map.groupBy(callbacks, ({ receiver }) => receiver);
}

async function eachReceiver<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const take = async (): Promise<void> => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await work(item);
  };
  // all of them have ended before a failure is told
  const ended = await Promise.allSettled(Array.from({ length: RECEIVERS }, take));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
