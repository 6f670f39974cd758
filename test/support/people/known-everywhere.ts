import { randomBytes, randomUUID } from 'node:crypto';
import { recordChanges } from '../../../src/access/index.ts';
import { beginFile, publishFile } from '../../../src/dsr/result/result-file.ts';
import { createRecordRejections } from '../../../src/events/log/rejected-batches.ts';
import type { Identity } from '../../../src/identity/index.ts';
import { type Clock, stringifyJson } from '../../../src/kernel/index.ts';
import { cellsText } from '../../../src/mapping/cells/cells-text.ts';
import { rowText } from '../../../src/mapping/cells/failed-row.ts';
import { createRowHash } from '../../../src/mapping/cells/row-hash.ts';
import { pipelineRuns } from '../../../src/pipelines/index.ts';
import { failedRecords } from '../../../src/runs/tables.ts';
import type { Store } from '../../../src/store/index.ts';
import type { Column } from '../../../src/warehouse/index.ts';
import { insertRequest } from '../apis/dsr-requests.ts';
import { TEST_IDENTITY_KEY } from '../apis/dsr-work.ts';
import { deliverBatches, mpidsOfBatches } from '../batches/deliver-batches.ts';
import { addPipeline } from '../runs/test-engine.ts';
import { person, SCOPE, testIdentities } from './deliver-people.ts';

const { workspaceId } = SCOPE;
const DEVELOPMENT = { ...SCOPE, environment: 'development' } as const;
const COLUMNS: readonly Column[] = [
  { name: 'customer_id', type: 'text', nativeType: 'text' },
  { name: 'email', type: 'text', nativeType: 'text' },
  { name: 'size', type: 'double', nativeType: 'double' },
];

let nextId = 1n;

/** A person of whom every room holds a record, by values that no other person has. */
export interface KnownPerson {
  readonly identities: readonly Identity[];
  readonly mpids: readonly bigint[];
  /** Every value by which the person could be found. */
  readonly values: readonly string[];
  /** What an erasure of the person counts. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface Installation {
  readonly store: Store;
  readonly clock: Clock;
}

/** A pipeline whose table holds MPIDs, and a run of it, for the records of people. Once a store. */
export async function prepareRooms({ store, clock }: Installation): Promise<void> {
  const pipeline = await addPipeline(store, { workspace: workspaceId });
  const now = new Date(clock.nowMs());
  const zero = { extractedRecords: 0n, successfulRecords: 0n, failedRecords: 0n, deduplicatedRecords: 0n };
  await store.orm.insert(pipelineRuns).values({
    ...{ ...zero, workspaceId, pipelineNumber: pipeline.number, connectionId: 'warehouse' },
    type: 'manual',
    status: 'success',
    ...{ fence: 1, attempts: 1, errors: [], warnings: [], logicalDate: now, createdOn: now },
    ...{
      erasedRecords: 0n,
      snapshot: stringifyJson({ pipeline: { syncMode: { type: 'full' }, generation: 0 }, transformation: null }),
    },
  });
  await store.execute(
    `INSERT INTO failed_columns (workspace_id, run_id, id, columns) SELECT workspace_id, id, 1, $2 FROM pipeline_runs
     WHERE workspace_id = $1`,
    [workspaceId, JSON.stringify(COLUMNS)],
  );
}

/** `batches` in production and one in development; the rest once. */
export async function addKnownPerson(here: Installation, batches = 3): Promise<KnownPerson> {
  const [customer, email, device] = [randomUUID(), `${randomBytes(12).toString('hex')}@example.com`, randomUUID()];
  const given = { customer_id: customer, email, ios_idfv: device };
  const mpids = await deliverTo(here, given, batches);
  await rejectBatch(here, email);
  await keepOfNobody(here, email);
  await addRecords(here, { customer, email, mpid: mpids[0] ?? 0n });
  await addMessages(here, email);
  await addLooks(here, mpids);
  await addResultFile(here, mpids);
  return {
    identities: [{ type: 'customer_id', value: customer }],
    mpids,
    values: [customer, email, device, ...mpids.map(String)],
    counts: {
      identity: { profiles: 2, identities: 6, tombstones: 6 },
      groups: { memberships: 0 },
      events: { batches: batches + 1, batches_of_nobody: 1, rejected_batches: 1 },
      engine: { failed_records: 1, resume_hashes: 1, write_back_conflicts: 1 },
      sync: { messages: 2 },
      access: { audit_entries: 2 },
      dsr: { result_files: 1 },
    },
  };
}

async function deliverTo({ store, clock }: Installation, given: Parameters<typeof person>[0], batches: number) {
  const text = `{"user_identities":{"customer_id":"${given.customer_id}"},"events":[]}`;
  const batch = { person: person(given, { city: '"Bern"' }), text };
  const [mpid = 0n] = mpidsOfBatches(await deliverBatches(store, [batch], { clock }));
  await store.execute(
    `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
     SELECT workspace_id, mpid, received_on, id + n, environment, text FROM event_batches, generate_series(1, $3) AS n
     WHERE workspace_id = $1 AND mpid = $2`,
    [workspaceId, mpid, batches - 1],
  );
  const [elsewhere = 0n] = mpidsOfBatches(await deliverBatches(store, [batch], { clock, scope: DEVELOPMENT }));
  return [mpid, elsewhere];
}

/** One that names the person in an attribute, beside one that names somebody else. */
async function keepOfNobody({ store, clock }: Installation, email: string): Promise<void> {
  const batchOf = (mail: string) => ({ person: undefined, text: `{"user_attributes":{"mail":"${mail}"}}` });
  await deliverBatches(store, [batchOf(email), batchOf(`${randomUUID()}@example.com`)], { clock });
}

async function rejectBatch({ store, clock }: Installation, email: string): Promise<void> {
  const rejections = [{ text: `{"user_identities":{"email":"${email}"},"events":3}`, issues: [] }];
  await createRecordRejections({ store, clock, identities: testIdentities() })({
    workspaceId,
    key: 'k',
    path: '/v2/bulkevents',
    rejections,
  });
}

interface Named {
  readonly customer: string;
  readonly email: string;
  readonly mpid: bigint;
}

async function addRecords({ store, clock }: Installation, { customer, email, mpid }: Named): Promise<void> {
  const [run] = await store.query<{ id: bigint; number: bigint }>(
    'SELECT id, pipeline_number AS number FROM pipeline_runs WHERE workspace_id = $1 ORDER BY id LIMIT 1',
    [workspaceId],
  );
  const { id: runId = 0n, number = 0n } = run ?? {};
  const row = [customer, email, Number.NaN];
  const id = nextId++;
  const now = new Date(clock.nowMs());
  await store.orm.insert(failedRecords).values({
    ...{ workspaceId, runId, id, row: rowText(COLUMNS, row), cells: cellsText(row), columnsId: 1 },
    ...{ field: 'size', value: 'NaN', rule: 'value_not_finite', reason: 'It is not finite.', failedOn: now },
  });
  const hash = createRowHash({ key: TEST_IDENTITY_KEY, columns: COLUMNS, positions: [0, 1, 2] });
  const hashes = randomBytes(48);
  hash.write(hash.textOf(row), hashes, 16);
  await store.execute(
    `INSERT INTO run_chunks (workspace_id, pipeline_number, generation, run_id, after_rows, delivered, deduplicated)
     VALUES ($1, $2, 0, $3, $4, $5, '')`,
    [workspaceId, number, runId, id, hashes],
  );
  await store.execute(
    `INSERT INTO write_back_conflicts (workspace_id, run_id, id, key, mpid, reason, found_on)
     VALUES ($1, $2, $3, $4, $5, 'gone', $6)`,
    [workspaceId, runId, id, JSON.stringify({ email }), mpid + 1n, now],
  );
}

/** What a warehouse said of a value: of a run and of what it faulted. Those of others stand beside them. */
async function addMessages({ store, clock }: Installation, email: string): Promise<void> {
  const now = new Date(clock.nowMs());
  const fault = JSON.stringify([{ message: `Conversion failed: "${email}" is not a number.` }]);
  await store.execute(
    `INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, errors, warnings,
       logical_date, created_on, extracted_records, successful_records, failed_records, deduplicated_records, erased_records)
     SELECT workspace_id, number, 'warehouse', 'manual', 'failed', 1, 1, $2, '[]', $3, $3, 0, 0, 0, 0, 0 FROM pipelines
     WHERE workspace_id = $1`,
    [workspaceId, fault, now],
  );
  await store.execute('UPDATE data_models SET fault = $2 WHERE workspace_id = $1', [workspaceId, fault]);
}

async function addLooks({ store, clock }: Installation, mpids: readonly bigint[]): Promise<void> {
  const look = {
    workspaceId,
    actor: 'client',
    occurredOn: new Date(clock.nowMs()),
    action: 'profile.read',
    detail: {},
  };
  await store.transaction((tx) =>
    recordChanges(
      tx,
      mpids.map((mpid) => ({ ...look, resource: `profile/${mpid}` })),
    ),
  );
}

async function addResultFile({ store, clock }: Installation, mpids: readonly bigint[]): Promise<void> {
  const request = await insertRequest(store, { status: 'completed' });
  const key = { workspaceId, requestId: request.id, fileId: nextId++ };
  const now = new Date(clock.nowMs());
  await store.transaction(async (tx) => {
    await beginFile(tx, { ...key, mpids, startedOn: now });
    await tx.execute('INSERT INTO dsr_result_parts (workspace_id, file_id, part, bytes) VALUES ($1, $2, 0, $3)', [
      ...[workspaceId, key.fileId, Buffer.from(mpids.join())],
    ]);
    await publishFile(tx, { ...key, parts: 1, sizeBytes: 10 }, new Date(now.getTime() + 7 * 86_400_000));
  });
}
