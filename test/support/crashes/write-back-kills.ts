// Write-back runs in a daemon that is killed, shared by the tests of all warehouses.
import { expect } from 'vitest';
import { createFeed } from '../../../src/access/feeds/create-feed.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { testKeyRing } from '../apis/test-access.ts';
import { PIPELINES } from './crash-pipeline.ts';
import { type CrashSite, letLeasesEnd, untilOver } from './crash-site.ts';
import type { CrashSource } from './crash-source.ts';

/** A row of the table, as text; `rest` is all that nobody may touch. */
export type Person = readonly [email: string, mpid: string | null, rest: string];

/** The table, in one order. */
export type ReadPeople = () => Promise<readonly Person[]>;

/** Connection, feed, model and pipeline `people`. */
export async function defineWriteBack(
  site: CrashSite,
  { connection }: Pick<CrashSource, 'connection'>,
  table = 'people',
): Promise<void> {
  const [workspace] = await site.store.query<{ id: bigint }>('SELECT id FROM workspaces');
  const caller = { workspaceId: workspace?.id, actor: 'tester' } as unknown as Parameters<typeof createFeed>[1];
  const access = { store: site.store, clock: systemClock, keyRing: testKeyRing() };
  const module = connection.service_provider;
  const { feed } = await createFeed(access, caller, { module_name: module, name: 'people' });
  const base = { id: 'people', name: 'people', state: 'active' };
  const sql_query = `SELECT customer_id, email, mpid FROM ${table}`;
  await site.api.post('/connections', { ...base, ...connection });
  await site.api.post('/data-models', { ...base, type: 'sql', config: { sql_query } });
  await site.api.post(PIPELINES, {
    ...{ ...base, pipeline_type: 'user_attributes', connection_id: 'people', data_model_id: 'people' },
    ...{ partner_feed_id: feed.id, environment: 'production', sync_mode: { type: 'full' } },
    schedule: { type: 'on_demand' },
  });
}

/** Triggers it; answers the run. */
export async function writeBack({ api }: CrashSite): Promise<number> {
  const { pipeline_run_id: run } = await api.post(`${PIPELINES}/trigger`, { pipeline_id: 'people' });
  return Number(run);
}

/** kill -9 of the daemon, which was dead for long when the next one looks. */
export async function strike(site: CrashSite): Promise<void> {
  const [served] = site.daemons;
  if (served !== undefined) await site.end(served, 'SIGKILL');
  await letLeasesEnd(site);
}

/** Everybody has the MPID of their profile, nothing else has changed, and a further run changes nothing. */
export async function expectWritten(
  site: CrashSite,
  run: number,
  { before, read }: { before: readonly Person[]; read: ReadPeople },
): Promise<void> {
  const rows = before.length;
  expect(await untilOver(site, { id: 'people' }, run)).toMatchObject({
    ...{ status: 'success', errors: [], warnings: [], conflicting_records: 0, failed_records: 0 },
    ...{ extracted_records: rows, successful_records: rows },
  });
  const after = await read();
  expect(after.map(([email, , rest]) => [email, rest])).toEqual(before.map(([email, , rest]) => [email, rest]));
  const profiles = await mpidsByEmail(site.store);
  expect(after.map(([, mpid]) => mpid)).toEqual(after.map(([email]) => profiles.get(email)));
  expect(profiles.size).toBe(rows);
  expect(await untilOver(site, { id: 'people' }, await writeBack(site))).toMatchObject({
    status: 'success',
    written_records: 0,
  });
  expect(await read()).toEqual(after);
}

async function mpidsByEmail(store: Store): Promise<ReadonlyMap<string, string>> {
  const rows = await store.query<{ mpid: bigint; identities: string }>('SELECT mpid, identities FROM profiles');
  return new Map(
    rows.map(({ mpid, identities }) => [
      new Map(JSON.parse(identities) as [string, string][]).get('email') ?? '',
      `${mpid}`,
    ]),
  );
}
