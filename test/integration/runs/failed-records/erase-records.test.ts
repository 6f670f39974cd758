// Failed records that name a person: by the columns of the model, by a transformation, page by page.
import { beforeEach, expect, test } from 'vitest';
import { createMentionMatcher, type Identity } from '../../../../src/identity/index.ts';
import { stringifyJson } from '../../../../src/kernel/index.ts';
import { pipelineRuns } from '../../../../src/pipelines/index.ts';
import { type RecordPosition, readFailedRecords } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addPipeline, WORKSPACE } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const AT = new Date(0);
const ANN: Identity = { type: 'customer_id', value: '42' };

let store: Store;
beforeEach(async () => {
  store = await openTestStore();
  return () => store[Symbol.asyncDispose]();
});

async function addRun(mappings: readonly object[] | null): Promise<bigint> {
  const pipeline = await addPipeline(store, { id: `p${mappings === null ? '' : 'e'}` });
  const transformation = mappings === null ? null : { id: 't', mappings };
  const counts = { extractedRecords: 0n, successfulRecords: 0n, failedRecords: 0n, deduplicatedRecords: 0n };
  const [run] = await store.orm
    .insert(pipelineRuns)
    .values({
      ...{ ...counts, erasedRecords: 0n, workspaceId: WORKSPACE, pipelineNumber: pipeline.number },
      ...{ connectionId: 'warehouse', fence: 1, attempts: 1, errors: [], warnings: [] },
      ...{ logicalDate: AT, createdOn: AT, snapshot: stringifyJson({ transformation }) },
      type: 'manual',
      status: 'success',
    })
    .returning();
  return run?.id ?? 0n;
}

async function addRecords(runId: bigint, rows: readonly object[]): Promise<void> {
  await store.execute(
    `INSERT INTO failed_records (workspace_id, run_id, id, "row", field, rule, reason, failed_on)
     SELECT $1, $2, n, row, 'f', 'r', 'why', $4 FROM unnest($3::text[]) WITH ORDINALITY AS given (row, n)`,
    [WORKSPACE, runId, rows.map((row) => JSON.stringify(row)), AT],
  );
}

async function idsOf(...identities: readonly Identity[]): Promise<readonly bigint[]> {
  const mentionsPerson = createMentionMatcher({ identities, mpids: [] });
  const ids: bigint[] = [];
  for (let after: RecordPosition | undefined; ; ) {
    const { records, next } = await readFailedRecords(store, WORKSPACE, after);
    const named = records.filter(({ read, meaningsOf }) => mentionsPerson(read(), meaningsOf));
    ids.push(...named.map(({ ref }) => ref.id));
    if (next === undefined) return ids;
    after = next;
  }
}

test('a reserved column names the person, as text and as a number, and a column that holds the same by chance does not', async () => {
  await addRecords(await addRun(null), [
    { customer_id: '42', age: 1 },
    { CustomerId: 42, age: 2 },
    { customer_id: '43', age: 42 },
    { customer_id: null, note: '42' },
    // a JSON column keeps the quotes
    { customer_id: '"42"', note: 1 },
  ]);
  expect(await idsOf(ANN)).toEqual([1n, 2n, 5n]);
});

test('a column of an events pipeline names the person when its transformation makes it an identity', async () => {
  const mappings = [
    { type: 'column', source: 'cust', destination: 'user_identities.customer_id' },
    { type: 'column', source: 'age', destination: 'events.data.custom_attributes.age' },
    { type: 'static', value: 'x', destination: 'events.event_type' },
    // one column may become two identities
    { type: 'column', source: 'cust', destination: 'user_identities.other' },
  ];
  await addRecords(await addRun(mappings), [
    { CUST: '42', age: 1 },
    { cust: '43', age: 42 },
    { cust: '"42"', age: 1 },
    // a field within a JSON column is no column of that name
    { cust: '43', note: '{"cust":"42"}' },
  ]);
  expect(await idsOf(ANN)).toEqual([1n, 3n]);
});

test('all records are looked through, however many there are and however long', async () => {
  const filler = 'x'.repeat(1_000_000);
  const rows = Array.from({ length: 1_100 }, (_, index) => ({
    customer_id: String(index),
    filler: index < 20 ? filler : '',
  }));
  await addRecords(await addRun(null), rows);
  expect(await idsOf(ANN, { type: 'customer_id', value: '1099' })).toEqual([43n, 1100n]);
});
