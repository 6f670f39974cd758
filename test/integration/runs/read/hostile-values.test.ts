// A row with any value is delivered or fails with a reason, its neighbours are kept, and everybody who reads
// afterwards is served.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileEntries } from '../../../../src/dsr/result/file-entries.ts';
import { exportProfiles } from '../../../../src/events/export/export-profiles.ts';
import { createIdentities } from '../../../../src/identity/index.ts';
import { parseJson } from '../../../../src/kernel/index.ts';
import { type FieldMapping, type Run, requestRun, type SyncMode } from '../../../../src/pipelines/index.ts';
import type { Cell, Column, ColumnType } from '../../../../src/warehouse/index.ts';
import { type HandClock, handClock } from '../../../support/clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import { openTestGroups, type TestGroups, WORKSPACE } from '../../../support/people/groups.ts';
import { HOSTILE_ITERATORS, hostileJson, hostileNumbers, hostileTexts } from '../../../support/runs/hostile-cells.ts';
import { createRunDriver, type RunDriver } from '../../../support/runs/run-driver.ts';
import { addPipeline, countsOf, IDENTITY_KEY, readRun } from '../../../support/runs/test-engine.ts';

const column = (name: string, type: ColumnType): Column => ({ name, type, nativeType: type.toUpperCase() });
const COLUMNS = [column('email', 'text'), column('company', 'text'), column('score', 'double'), column('note', 'json')];
const MAPPINGS: readonly FieldMapping[] = [
  { type: 'static', value: 'custom_event', destination: 'events.event_type' },
  { type: 'static', value: 'other', destination: 'events.data.custom_event_type' },
  { type: 'static', value: 'seen', destination: 'events.data.event_name' },
  { type: 'column', source: 'email', destination: 'user_identities.email' },
  { type: 'column', source: 'company', destination: 'user_attributes.company' },
  { type: 'column', source: 'score', destination: 'events.data.custom_attributes.score' },
  { type: 'column', source: 'note', destination: 'user_attributes.note' },
  { type: 'column', source: 'at', destination: 'events.data.timestamp_unixtime_ms' },
];

let groups: TestGroups;
let clock: HandClock;
let warehouse: FakeWarehouse;
let driver: RunDriver;
let pipelines = 0;
beforeAll(async () => {
  groups = await openTestGroups();
  clock = handClock();
  warehouse = fakeWarehouse({ columns: COLUMNS, nowMs: () => clock.nowMs() });
  const identities = createIdentities({ key: IDENTITY_KEY, clock });
  driver = await createRunDriver({ store: groups.deps.store, clock, warehouse, chunkRows: 3, identities });
  await groups.define({
    attributes: [
      { id: 'company', type: 'latest' },
      { id: 'score', type: 'average' },
      { id: 'note', type: 'sum' },
    ],
  });
});
afterAll(() => groups[Symbol.asyncDispose]());

/** A full run of a pipeline of its own. */
async function deliver(syncMode: SyncMode, mappings: readonly FieldMapping[] | undefined): Promise<Run> {
  const { store } = groups.deps;
  const id = `p${++pipelines}`;
  const spec = { workspace: WORKSPACE, id, syncMode, ...(mappings !== undefined && { mappings }) };
  const pipeline = await addPipeline(store, spec);
  const nowMs = clock.nowMs();
  const times = { logicalDateMs: nowMs, nominalEndMs: nowMs, nowMs };
  const runId = await store.transaction((tx) =>
    requestRun(tx, driver.deps.jobs, { pipeline, type: 'manual', ...times }),
  );
  const claimed = await driver.claim(WORKSPACE, runId ?? 0n);
  if (claimed === undefined) throw new Error('The run cannot be claimed.');
  await driver.attempt(claimed);
  return await readRun(store, runId ?? 0n);
}

interface ShownProfile {
  readonly mpid: string;
  readonly identities: readonly { readonly identity: string }[];
  readonly attributes: readonly { readonly name: string; readonly value: unknown }[];
}

/** Every profile, as the export writes it. */
async function readAll(): Promise<readonly ShownProfile[]> {
  const caller = { workspaceId: WORKSPACE, actor: 'tester' } as Parameters<typeof exportProfiles>[1];
  const { lines } = await exportProfiles(groups.deps, caller, { environment: 'production' });
  let text = '';
  for await (const line of lines) text += line;
  return text.split('\n').flatMap((line) => (line === '' ? [] : (parseJson(line) as unknown as ShownProfile)));
}

/** Groups, the file of an access request to everybody, and the views that other people build on. */
async function readOtherwise(profiles: readonly ShownProfile[]): Promise<void> {
  const { store } = groups.deps;
  expect((await groups.run()).status).toBe('success');
  const people = profiles.map(({ mpid }) => ({ environment: 'production', mpid: BigInt(mpid) }) as const);
  for await (const { text } of fileEntries({ store, workspaceId: WORKSPACE, people })) {
    let whole = '';
    for await (const piece of text) whole += piece;
    for (const line of whole.trim().split('\n')) parseJson(line);
  }
  for (const view of ['profiles', 'profile_identities', 'profile_attributes', 'batches', 'events'])
    await store.query(`SELECT * FROM penstock_v1_${view} WHERE workspace_id = $1`, [WORKSPACE]);
}

const cases = fc.constantFrom(...HOSTILE_ITERATORS).chain((iterator) =>
  fc.record({
    iterator: fc.constant(iterator),
    isEvents: fc.boolean(),
    rows: fc.array(
      fc.record({
        email: fc.oneof(hostileTexts, fc.constant('somebody@example.org')),
        company: fc.oneof(hostileTexts, fc.constant('acme')),
        score: fc.oneof(hostileNumbers, fc.constant(1)),
        note: fc.oneof(hostileJson, fc.constant('1')),
        at: fc.oneof(iterator.cells, fc.constant(iterator.honest)),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  }),
);

test('a row is delivered or fails with a reason, and takes neither neighbours nor readers with it', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ iterator, isEvents, rows }) => {
      const honest = rows.map((_, n): Cell[] => [
        `ok-${pipelines}-${n}@example.org`,
        'acme',
        n,
        '"kept"',
        iterator.honest,
      ]);
      const hostile = rows.map(({ email, company, score, note, at }): Cell[] => [email, company, score, note, at]);
      warehouse.columns = [...COLUMNS, iterator.column];
      warehouse.rows = honest.flatMap((row, n) => [row, hostile[n] ?? row]);
      const { type } = iterator;

      const run = await deliver(
        { type: 'full', iterator: { field: 'at', type, declaredType: type } },
        isEvents ? MAPPINGS : undefined,
      );

      const [extracted = 0, successful = 0, failed = 0] = countsOf(run);
      expect([run.status, run.errors, extracted]).toEqual(['success', [], 2 * rows.length]);
      expect(successful).toBeGreaterThanOrEqual(rows.length);
      const records = await groups.deps.store.query<{ rule: string; reason: string }>(
        'SELECT rule, reason FROM failed_records WHERE workspace_id = $1 AND run_id = $2',
        [WORKSPACE, run.id],
      );
      expect(records).toHaveLength(failed);
      for (const { rule, reason } of records) expect([rule, reason]).not.toContain('');
      const profiles = await readAll();
      const byEmail = new Map(
        profiles.flatMap((one) => one.identities.map(({ identity }) => [identity, one] as const)),
      );
      for (const [email] of honest) {
        const attributes = byEmail.get(String(email))?.attributes ?? [];
        expect(attributes.find(({ name }) => name === 'note')?.value).toBe('kept');
      }
      await readOtherwise(profiles);
    }),
    { numRuns: 10 },
  );
});
