import type { SettingsReader } from '../../access/index.ts';
import { type Clock, type Issue, type Json, stringifyJson } from '../../kernel/index.ts';
import type { BatchDoor, BatchSender } from '../accept-batches.ts';
import type { Arrival } from './event-time.ts';
import { issuesInCall } from './issues-in-call.ts';
import { type GivenCall, type ReadCall, readCall } from './read-call.ts';

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
 * those of the call. One that is refused leaves the others be. Throws what `BatchDoor.accept` throws.
 */
export async function acceptCalls(
  { clock, batches, settingsOf }: CallsDeps,
  { sender, calls, sentAt }: CallsRequest,
): Promise<readonly Refusal[]> {
  const { limits } = await settingsOf(sender.workspaceId);
  const arrival: Arrival = { receivedMs: clock.nowMs(), ...(sentAt !== undefined && { sentAt }) };
  const read = calls.map((given) => readCall(given, { arrival, limits }));
  const right = read.filter((one): one is ReadCall => 'batch' in one);
  const sent = right.map(({ batch }) => ({ body: batch, text: stringifyJson(batch) }));
  const { outcomes } = await batches.accept(sender, sent);
  const outcomeOf = new Map(right.map((one, index) => [one, outcomes[index]]));
  return read.map((one): Refusal => {
    if (!('batch' in one)) return one;
    const outcome = outcomeOf.get(one);
    return outcome?.status === 'rejected' ? issuesInCall(one.call, arrival, outcome.issues) : [];
  });
}
