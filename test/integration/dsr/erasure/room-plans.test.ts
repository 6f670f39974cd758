// An erasure goes through what rooms keep of people without knowing whose it is: along an index, each row once, also when
// the planner has no statistics of what came since.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { previewErasure } from '../../../../src/dsr/preview-erasure.ts';
import { eraseRecords } from '../../../../src/dsr/work/erase-records.ts';
import { Secret } from '../../../../src/kernel/index.ts';
import type { Sql, Store, Transaction } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { workDeps } from '../../../support/apis/dsr-work.ts';
import { fakeClock } from '../../../support/clocks/fake-clock.ts';
import { SCOPE } from '../../../support/people/deliver-people.ts';
import { addPipeline } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const ROWS = 5_000;
const PAGED = /\bFROM (failed_records|write_back_conflicts|rejected_batches|pipeline_runs|audit_log)\b[\s\S]*\bLIMIT\b/;
const clock = fakeClock();
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
  await addWorkspace(store, workspaceId);
  await fill();
});
afterAll(() => store[Symbol.asyncDispose]());

async function fill(): Promise<void> {
  const { number } = await addPipeline(store, { workspace: workspaceId, id: 'many', connectionId: 'many' });
  const series = `generate_series(1, ${ROWS}) AS n`;
  const values = [workspaceId, new Date(0)];
  await store.execute(
    `INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, errors, warnings,
       logical_date, created_on, extracted_records, successful_records, failed_records, deduplicated_records, erased_records)
     SELECT $1, $3, 'many', 'manual', 'failed', 1, 1, '[{"message":"no"}]', '[]', $2, $2, 0, 0, 0, 0, 0 FROM ${series}`,
    [...values, number],
  );
  await store.execute(
    `INSERT INTO failed_records (workspace_id, run_id, id, row, field, rule, reason, failed_on)
     SELECT $1, id, id, '{}', 'f', 'r', 'why', $2 FROM pipeline_runs WHERE workspace_id = $1`,
    values,
  );
  await store.execute(
    `INSERT INTO write_back_conflicts (workspace_id, run_id, id, key, mpid, reason, found_on)
     SELECT $1, id, id, '{}', id, 'changed', $2 FROM pipeline_runs WHERE workspace_id = $1`,
    values,
  );
  await store.execute(
    `INSERT INTO rejected_batches (workspace_id, id, received_on, key, path, errors, text)
     SELECT $1, n, $2, 'k', '/v2/bulkevents', '[]', '{}' FROM ${series}`,
    values,
  );
  await store.execute(
    `INSERT INTO audit_log (workspace_id, occurred_on, actor, action, resource, detail)
     SELECT $1, $2, 'a', 'a', 'r', '{}' FROM ${series}`,
    values,
  );
  await store.execute(
    `INSERT INTO audit_log (workspace_id, occurred_on, actor, action, resource, detail)
     SELECT $1, $2, 'a', 'profile.read', 'profile/' || n, '{}' FROM ${series}`,
    values,
  );
}

interface Plan {
  readonly table: string;
  readonly text: string;
}

/** The store, with the plan of each statement that reads a page. */
function explained(plans: Plan[]): Store {
  const explain =
    (sql: Sql): Sql['query'] =>
    async (text, values) => {
      const [, table] = PAGED.exec(text) ?? [];
      if (table !== undefined) {
        const lines = await sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
        plans.push({ table, text: lines.map((line) => line['QUERY PLAN']).join('\n') });
      }
      return sql.query(text, values);
    };
  const transaction: Store['transaction'] = (work, options) =>
    store.transaction((tx: Transaction) => work({ ...tx, query: explain(tx) }), options);
  return Object.create(store, { transaction: { value: transaction }, query: { value: explain(store) } });
}

function expectWalks(plans: readonly Plan[]): void {
  const tables = new Set(plans.map(({ table }) => table));
  expect([...tables].toSorted()).toEqual([
    ...['audit_log', 'failed_records', 'pipeline_runs', 'rejected_batches', 'write_back_conflicts'],
  ]);
  expect(plans.filter(({ text }) => /\b(Sort|Bitmap|Seq Scan)\b/.test(text))).toEqual([]);
}

test('an erasure walks an index through each room', async () => {
  const plans: Plan[] = [];
  const people = [{ environment: 'production', mpid: 4711n }] as const;
  const identities = [{ type: 'email', value: 'ada@example.org' }] as const;
  await eraseRecords({
    ...{ store: explained(plans), workspaceId, people, identities, ledgerKey: new Secret('key') },
    ...{ signal: new AbortController().signal, count: async () => undefined, step: () => undefined },
  });
  expectWalks(plans);
});

test('its preview does, too', async () => {
  const plans: Plan[] = [];
  const { identityKey, settingsOf, fillerCarriers } = workDeps(store, clock);
  const subject = { identities: [{ name: 'email', type: 'email', value: 'ada@example.org' }], mpids: [] } as const;
  const resolution = {
    ...{ identityKey, fillerCarriers, clock },
    request: { workspaceId, version: 3 as const },
    subject,
    settings: await settingsOf(workspaceId),
  };
  await previewErasure(explained(plans), resolution, new AbortController().signal);
  expectWalks(plans);
});

test('an erasure finds the looks at its people, and reads none at others', async () => {
  let read = 0;
  const counting = (tx: Transaction): Sql['query'] =>
    async function query<Row extends object>(text: string, values?: Parameters<Sql['query']>[1]) {
      const rows = await tx.query<Row>(text, values);
      if (/\bFROM audit_log\b/.test(text)) read += rows.length;
      return rows;
    };
  const transaction: Store['transaction'] = (work, options) =>
    store.transaction((tx) => work({ ...tx, query: counting(tx) }), options);
  const counts: object[] = [];
  await eraseRecords({
    ...{ store: Object.create(store, { transaction: { value: transaction } }), workspaceId, identities: [] },
    ...{ people: [{ environment: 'production', mpid: 4712n }], ledgerKey: new Secret('key') },
    ...{ signal: new AbortController().signal, step: () => undefined },
    count: async (_tx, counted) => void counts.push(counted),
  });
  expect(counts).toEqual([{ access: { audit_entries: 1 } }]);
  expect(read).toBe(ROWS);
});
