// Erasures stay done when an older backup is restored: the export of before is applied to it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportErasures } from '../../../../src/dsr/reapply/export-erasures.ts';
import { reapplyErasures } from '../../../../src/dsr/reapply/reapply-erasures.ts';
import { confirmIdentityKey } from '../../../../src/identity/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertRequest } from '../../../support/apis/dsr-requests.ts';
import { insertErasure, readRequest, TEST_IDENTITY_KEY, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { deliverBatches, readLog } from '../../../support/batches/deliver-batches.ts';
import { type FakeClock, fakeClock } from '../../../support/clocks/fake-clock.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../../support/people/deliver-people.ts';
import { lift } from '../../../support/people/erase-people.ts';
import { addKnownPerson, prepareRooms } from '../../../support/people/known-everywhere.ts';
import { searchDump } from '../../../support/stores/dump-search.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const TABLES = ['profiles', 'profile_identities', 'event_batches'];
const DAY_MS = 86_400_000;

let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
  clock = fakeClock();
  clock.advance(DAY_MS);
  await addWorkspace(store, workspaceId);
  await confirmIdentityKey(store, TEST_IDENTITY_KEY);
  await prepareRooms({ store, clock });
});
afterAll(() => store[Symbol.asyncDispose]());

const signal = new AbortController().signal;

async function exported(): Promise<readonly string[]> {
  const lines: string[] = [];
  const wanted = { ...workDeps(store, clock), workspaceId, nowMs: clock.nowMs() };
  for await (const line of exportErasures(wanted)) lines.push(line);
  return lines;
}

const reapply = (lines: readonly string[]) =>
  reapplyErasures(workDeps(store, clock), { workspaceId, lines: () => lines, signal, actor: 'cli:tester' });

const batchOf = (customer: string) => ({ person: person({ customer_id: customer }), text: '{"events":[]}' });

describe('a backup of before an erasure', () => {
  it('is rid of the erased again: profile, batches, request and tombstones, and of nobody else', async () => {
    const [ann, ben] = [randomUUID(), randomUUID()];
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: ann, email: `${ann}@example.com` })]));
    await deliverBatches(store, [batchOf(ann), batchOf(ann), batchOf(ben)]);
    for (const table of TABLES) await store.execute(`CREATE TABLE backup_${table} AS SELECT * FROM ${table}`);
    const request = await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] });
    const open = await insertRequest(store, { status: 'pending', type: 'erasure' });
    await work(workDeps(store, clock), request);
    const lines = await exported();
    const before = await readRequest(store, request);

    // the backup knows neither the requests nor the tombstones
    for (const table of [...TABLES, 'dsr_requests', 'tombstones']) await store.execute(`DELETE FROM ${table}`);
    await store.execute('UPDATE creation_locks SET has_tombstones = false');
    for (const table of TABLES) await store.execute(`INSERT INTO ${table} SELECT * FROM backup_${table}`);

    expect(await reapply(lines)).toMatchObject({
      ...{ restored: 1, lost: [open.id], people: 1, held: 0 },
      counts: { identity: { profiles: 1, identities: 2 }, events: { batches: 2 } },
    });
    expect(
      await store.query('SELECT 1 FROM profiles WHERE workspace_id = $1 AND mpid = $2', [workspaceId, mpid]),
    ).toEqual([]);
    expect((await readLog(store)).length).toBe(1);
    expect(await readRequest(store, request)).toEqual(before);
    const { outcomes } = await deliver(store, [person({ email: `${ann.toUpperCase()}@example.com` })]);
    expect(outcomes).toEqual([{ erased: true }]);

    // once more changes nothing
    const again = await reapply(lines);
    expect(again).toMatchObject({ restored: 0, people: 0, tombstones: 0 });
    expect(again.counts).toEqual({});
    const [entry] = await store.query('SELECT action, actor FROM audit_log ORDER BY id DESC LIMIT 1');
    expect(entry).toEqual({ action: 'erasures.reapplied', actor: 'cli:tester' });
  });

  it('is rid of records that are older than the profile, and keeps what names the living', async () => {
    const [ann, ben] = await Promise.all([addKnownPerson({ store, clock }), addKnownPerson({ store, clock })]);
    const records = ['rejected_batches', 'failed_records', 'write_back_conflicts', 'event_batches'];
    for (const table of records) {
      const older = table === 'event_batches' ? 'WHERE mpid = 0' : '';
      await store.execute(`CREATE TABLE older_${table} AS SELECT * FROM ${table} ${older}`);
    }
    const erasure = await insertErasure(store, ann);
    await work(workDeps(store, clock), erasure);
    const lines = await exported();
    await store.execute('UPDATE dsr_requests SET vacuumed_on = completed_on');
    await store.execute('DELETE FROM tombstones');
    for (const table of records)
      await store.execute(`INSERT INTO ${table} SELECT * FROM older_${table} ON CONFLICT DO NOTHING`);
    for (const table of records) await store.execute(`DROP TABLE older_${table}`);
    expect(await searchDump(store, ann.values)).not.toEqual([]);
    const before = await searchDump(store, ben.values);

    expect(await reapply(lines)).toMatchObject({
      ...{ people: 0, held: 0 },
      counts: {
        events: { batches_of_nobody: 1, rejected_batches: 1 },
        engine: { failed_records: 1, write_back_conflicts: 1 },
      },
    });
    expect(await searchDump(store, ann.values)).toEqual([]);
    expect(await searchDump(store, ben.values)).toEqual(before);
    expect(await readRequest(store, erasure)).toMatchObject({ vacuumed_on: null });
    expect((await reapply(lines)).counts).toEqual({});
  });

  it('is swept by the tombstones of what its records name, however many others there are', async () => {
    const ann = `${randomUUID()}@example.com`;
    await deliver(store, [person({ email: ann })]);
    await work(workDeps(store, clock), await insertErasure(store, { identities: [{ type: 'email', value: ann }] }));
    const lines = await exported();
    await store.execute(
      `INSERT INTO tombstones (workspace_id, key, erased_on)
       SELECT $1, md5(n::text)::uuid, $2 FROM generate_series(1, 12000) AS n`,
      [workspaceId, new Date(clock.nowMs())],
    );
    await store.execute(
      `INSERT INTO rejected_batches (workspace_id, id, received_on, key, path, errors, text)
       SELECT $1, n, $2, 'k', '/v2/bulkevents', '[]', CASE n WHEN 77 THEN $3 ELSE '{"note":"x@example.com"}' END
       FROM generate_series(1, 300) AS n`,
      [workspaceId, new Date(clock.nowMs()), JSON.stringify({ note: `ask ${ann}` })],
    );
    let read = 0;
    const query: Store['query'] = async (text, values) => {
      const rows = await store.query<never>(text, values);
      if (/FROM tombstones/.test(text)) read += rows.length;
      return rows;
    };
    const deps = workDeps(Object.create(store, { query: { value: query } }), clock);
    const { counts } = await reapplyErasures(deps, { workspaceId, lines: () => lines, signal, actor: 'cli:tester' });
    expect(counts).toEqual({ events: { rejected_batches: 1 } });
    expect(read).toBeLessThan(100);
    await store.execute('DELETE FROM rejected_batches');
  });

  it('lets an identity come back whose tombstone was lifted before the export was made', async () => {
    const ann = randomUUID();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: ann, email: `${ann}@example.com` })]));
    for (const table of ['profiles', 'profile_identities']) {
      await store.execute(`CREATE TABLE lifted_${table} AS SELECT * FROM ${table} WHERE mpid = ${mpid}`);
    }
    await work(
      workDeps(store, clock),
      await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] }),
    );
    expect(await lift(store, [{ type: 'email', value: `${ann}@example.com` }])).toBe(2);
    const lines = await exported();
    const tombstones = 'SELECT key FROM tombstones WHERE workspace_id = $1 ORDER BY key';
    const before = await store.query(tombstones, [workspaceId]);

    // the backup knows the profile and no tombstone
    await store.execute('DELETE FROM tombstones');
    for (const table of ['profiles', 'profile_identities']) {
      await store.execute(`INSERT INTO ${table} SELECT * FROM lifted_${table}`);
    }
    expect(await reapply(lines)).toMatchObject({ people: 1, held: 0 });
    expect(await store.query(tombstones, [workspaceId])).toEqual(before);
    const { outcomes } = await deliver(store, [person({ customer_id: ann }), person({ email: `${ann}@example.com` })]);
    expect(outcomes).toEqual([{ erased: true }, { mpid: expect.any(BigInt) }]);
  });

  it('needs an export that holds nothing personal', async () => {
    const ann = randomUUID();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: ann })]));
    const request = await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] });
    const sealed = request.subject ?? '';
    await exported().then((lines) => expect(lines.join('\n')).not.toContain(sealed));
    await work(workDeps(store, clock), request);
    const text = (await exported()).join('\n');
    for (const personal of [ann, String(mpid)]) expect(text).not.toContain(personal);
    expect(text).toContain(request.id);
  });

  it.each<[string, (lines: readonly string[]) => readonly string[], RegExp]>([
    ['of another workspace', ([first = '', ...rest]) => [first.replace('"7"', '"8"'), ...rest], /workspace 8/],
    ['of another identity key', ([first = '']) => [first.replace(/"identity_key":"\w/, '"identity_key":"z')], /key/],
    ['without its first line', (lines) => lines.slice(1), /not an export/],
    ['that is empty', () => [], /empty/],
    ['that was cut off', (lines) => [...lines, '{"kind":"tomb'], /may be incomplete/],
  ])('refuses an export %s, and changes nothing', async (_, spoil, message) => {
    const before = await store.query('SELECT count(*) FROM audit_log');
    await expect(reapply(spoil(await exported()))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(message),
    });
    expect(await store.query('SELECT count(*) FROM audit_log')).toEqual(before);
  });
});
