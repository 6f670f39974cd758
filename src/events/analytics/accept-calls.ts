import { setImmediate } from 'node:timers/promises';
import type { SettingsReader } from '../../access/index.ts';
import { type Clock, type Issue, type Json, stringifyJson } from '../../kernel/index.ts';
import type { BatchDoor, BatchSender } from '../accept-batches.ts';
import type { Arrival } from './event-time.ts';
import { issuesInCall } from './issues-in-call.ts';
import { type GivenCall, type ReadCall, type Reading, readCall } from './read-call.ts';

export interface CallsDeps {
  readonly clock: Clock;
  readonly batches: BatchDoor;
  readonly settingsOf: SettingsReader;
}

export interface CallsRequest {
  readonly sender: BatchSender;
  readonly calls: readonly GivenCall[];
  /** Of the request, for calls that have none. */
  readonly sentAt: Json | undefined;
}

/** Why a call is not kept; empty: it is, or was before. */
export type Refusal = readonly Issue[];

/**
 * Keeps the batches that calls become; resolves when they are durable, with what is wrong with each call, the paths being
 * those of the call. One that is refused leaves the others be. All count in the workspace's rate, and before they are looked
 * at: what is refused is recorded, and costs as much. Throws what `BatchDoor.accept` throws.
 */
export async function acceptCalls(
  { clock, batches, settingsOf }: CallsDeps,
  { sender, calls, sentAt }: CallsRequest,
): Promise<readonly Refusal[]> {
  await batches.admit(sender, calls.length);
  const { limits } = await settingsOf(sender.workspaceId);
  const arrival: Arrival = { receivedMs: clock.nowMs(), ...(sentAt !== undefined && { sentAt }) };
  const read = await readCalls(calls, { arrival, limits });
  const right = read.filter((one): one is SendableCall => 'batch' in one);
  const outcomes = await batches.keep(
    sender,
    right.map(({ batch, text }) => ({ body: batch, text })),
  );
  const outcomeOf = new Map(right.map((one, index) => [one, outcomes[index]]));
  return read.map((one): Refusal => {
    if (!('batch' in one)) return one;
    const outcome = outcomeOf.get(one);
    return outcome?.status === 'rejected' ? issuesInCall(one.call, arrival, outcome.issues) : [];
  });
}

interface SendableCall extends ReadCall {
  /** The JSON text of the batch. */
  readonly text: string;
}

/** Between so many the loop gets its turn. */
const SLICE_CALLS = 100;

async function readCalls(calls: readonly GivenCall[], reading: Reading): Promise<readonly (SendableCall | Refusal)[]> {
  const all: (SendableCall | Refusal)[] = [];
  for (const given of calls) {
    const read = readCall(given, reading);
    all.push('batch' in read ? { ...read, text: stringifyJson(read.batch) } : read);
    if (all.length % SLICE_CALLS === 0) await setImmediate();
  }
  return all;
}
