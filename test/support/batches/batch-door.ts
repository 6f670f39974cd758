// The functions that accept batches into the log, over a test store.
import { createSettingsReader } from '../../../src/access/index.ts';
import {
  type AcceptDeps,
  type Accepted,
  type BatchDoor,
  type BatchSender,
  createBatchDoor,
  createEvents,
} from '../../../src/events/index.ts';
import { type Clock, parseJson } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { SCOPE, testIdentities } from '../people/deliver-people.ts';

export const SOURCE: BatchSender = {
  workspaceId: SCOPE.workspaceId,
  key: 'key-one',
  isPublic: false,
  channel: 'server_to_server',
  isHistorical: false,
};

/** Takes whatever comes. */
export const NO_RATE: AcceptDeps['rates'] = {
  take: () => ({ isAllowed: true, percentageUsed: 0, retryAfterSeconds: 0 }),
};

export function testDoor(store: Store, clock: Clock, more: Partial<AcceptDeps> = {}): BatchDoor {
  const events = createEvents({ identities: testIdentities(), clock });
  return createBatchDoor({
    ...{ store, clock, events, rates: NO_RATE },
    settingsOf: createSettingsReader({ store, clock }),
    ...more,
  });
}

interface Sending {
  readonly source?: BatchSender;
  readonly record?: Parameters<BatchDoor['accept']>[2];
}

/** Sends batches, each given as its value or its JSON text. */
export function send(
  door: BatchDoor,
  batches: readonly unknown[],
  { source = SOURCE, record }: Sending = {},
): Promise<Accepted> {
  const sent = batches.map((batch) => {
    const text = typeof batch === 'string' ? batch : JSON.stringify(batch);
    return { body: parseJson(text), text };
  });
  return door.accept(source, sent, record);
}

export const statuses = ({ outcomes }: Accepted) => outcomes.map(({ status }) => status);
