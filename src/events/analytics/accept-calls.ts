import { setImmediate } from 'node:timers/promises';
import type { SettingsReader } from '../../access/index.ts';
import { type Clock, type Issue, type Json, stringifyJson } from '../../kernel/index.ts';
import type { BatchDoor, BatchSender, SentBatch } from '../accept/accept-batches.ts';
import type { Arrival } from './event-time.ts';
import { issuesInCall } from './issues-in-call.ts';
import type { Reading } from './mapping.ts';
import { type GivenCall, type ReadCall, readCall } from './read-call.ts';

export interface CallsDeps {
  readonly clock: Clock;
  readonly batches: BatchDoor;
  readonly settingsOf: SettingsReader;
}

export interface CallsRequest {
  readonly sender: BatchSender;
  readonly calls: readonly GivenCall[];
  /** `sentAt` of the request, for calls that have none. */
  readonly sentAt: Json | undefined;
  /** Called with refusals by index, as `BatchDoor.accept` calls its `record`. */
  readonly record?: (refusals: ReadonlyMap<number, Refusal>) => Promise<void>;
}

/** Issues for which a call is not kept; empty when it is kept, now or before. */
export type Refusal = readonly Issue[];

/**
 * Keeps the batches that calls become. Resolves when they are durable, with the issues of each call; their paths are paths
 * in the call. A refused call does not affect the others. All calls count in the workspace's rate before they are checked,
 * because recording a refusal costs as much. Throws what `BatchDoor.accept` throws.
 */
export async function acceptCalls(
  { clock, batches, settingsOf }: CallsDeps,
  { sender, calls, sentAt, record }: CallsRequest,
): Promise<readonly Refusal[]> {
  await batches.admit(sender, calls.length);
  const { limits } = await settingsOf(sender.workspaceId);
  const arrival: Arrival = { receivedMs: clock.nowMs(), ...(sentAt !== undefined && { sentAt }) };
  const reading: Reading = { arrival, limits };
  const read = await readCalls(calls, reading);
  const refusalOf = (index: number, issues: Refusal): Refusal => {
    const one = read[index];
    return one !== undefined && 'batch' in one ? issuesInCall(one.call, reading, issues) : issues;
  };
  const outcomes = await batches.keep(sender, read.map(sentBatch), async (rejected) => {
    await record?.(new Map([...rejected].map(([index, issues]) => [index, refusalOf(index, issues)])));
  });
  return outcomes.map((outcome, index) => (outcome.status === 'rejected' ? refusalOf(index, outcome.issues) : []));
}

function sentBatch(read: SendableCall | Refusal): SentBatch {
  return 'batch' in read ? { body: read.batch, text: read.text } : { body: null, text: 'null', issues: read };
}

interface SendableCall extends ReadCall {
  /** The JSON text of the batch. */
  readonly text: string;
}

/** Calls that are read between two turns of the event loop. */
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
