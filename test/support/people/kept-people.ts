// People and batches in the workspace of a `SyncApi`, and its exports as lines.
import { type BatchSource, createEvents } from '../../../src/events/index.ts';
import { deliverInTransaction, type Environment } from '../../../src/identity/index.ts';
import { parseJson, type WorkspaceId } from '../../../src/kernel/index.ts';
import { type Client, NOW, type SyncApi } from '../apis/sync-api.ts';
import { type Given, person, testIdentities } from './deliver-people.ts';

export interface Said {
  readonly who?: Given;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string | null>>;
  /** Microseconds. */
  readonly setAt?: bigint;
  readonly consent?: string;
  readonly source?: BatchSource;
}

/** Leaves no person, no batch, no horizon and no entry of the audit log, and puts the clock back. */
export async function nobodyIn({ store, clock }: Pick<SyncApi, 'store' | 'clock'>): Promise<void> {
  await store.execute('TRUNCATE profiles, profile_identities, event_batches, log_horizons, audit_log');
  clock.set(NOW);
}

interface Where {
  readonly workspaceId?: WorkspaceId;
  readonly environment?: Environment;
}

/** Delivers one batch each, all at the time of the clock, which then moves on by 1 ms; MPIDs in order. */
export async function keep(
  { store, clock, admin }: Pick<SyncApi, 'store' | 'clock' | 'admin'>,
  said: readonly Said[],
  { workspaceId = admin.workspaceId, environment = 'production' }: Where = {},
): Promise<bigint[]> {
  const events = createEvents({ identities: testIdentities(), clock });
  const batches = said.map(({ who, text = '{"n":1}', attributes = {}, setAt, consent, source }) => ({
    person: who && { ...person(who, attributes, setAt), ...(consent !== undefined && { consent }) },
    text,
    ...(source && { source }),
  }));
  const prepared = await events.prepare({ workspaceId, environment, mode: 'incremental' }, batches);
  const { outcomes } = await deliverInTransaction(store, workspaceId, (tx, exclusive) =>
    events.deliver(tx, prepared, exclusive),
  );
  clock.set(new Date(clock.nowMs() + 1).toISOString());
  return outcomes.map((outcome) => ('mpid' in outcome ? (outcome.mpid ?? 0n) : 0n));
}

export interface Exported {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests look into
  readonly lines: readonly any[];
  readonly text: string;
}

export async function exported({ server }: SyncApi, client: Client, path: string): Promise<Exported> {
  const url = `/platform/v2/workspaces/${client.workspaceId}${path}`;
  const answer = await server.inject({ method: 'GET', url, headers: { authorization: client.bearer } });
  const lines = answer.body.split('\n').slice(0, -1).map(parseJson);
  return { status: answer.statusCode, headers: answer.headers, lines, text: answer.body };
}

/** The audit log's entries of one kind, the newest first. */
export async function recorded(client: Client, action: string) {
  const { body } = await client.get(`/audit-log?action=${action}`);
  return body.items as readonly { actor: string; resource: string; detail: object }[];
}
