// Data about a person that runs keep besides profiles and batches: rows that failed, and keys that a write-back skipped.
// Neither has a reliable MPID, so an erasure reads all of a workspace, in bounded parts.
import { identityTypeOfColumn, type KeptRecord, type Meaning, type MeaningsOf } from '../../identity/index.ts';
import { parseJson, type Secret, type WorkspaceId } from '../../kernel/index.ts';
import type { FieldMapping } from '../../pipelines/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import { eraseHashes } from '../ledger/erase-hashes.ts';
import { snapshotFromText } from '../lifecycle/run-snapshot.ts';

/** The position of a record among those of its workspace. */
export interface RecordPosition {
  readonly runId: bigint;
  readonly id: bigint;
}

export interface RecordPage {
  readonly records: readonly KeptRecord<RecordPosition>[];
  /** Start of the following page; absent on the last page. */
  readonly next?: RecordPosition;
}

/** Most records of a page. The first record may be longer than the page's bytes. */
const AT_ONCE = 500;
const PAGE_BYTES = 8 * 1024 * 1024;

/** Returns the next failed records of a workspace, with the meanings of their columns. */
export async function readFailedRecords(
  sql: Sql,
  workspaceId: WorkspaceId,
  after?: RecordPosition,
): Promise<RecordPage> {
  const page = await readPage(sql, { workspaceId, after }, { table: 'failed_records', text: 'row' });
  const meaningsOf = await loadMeanings(sql, workspaceId, [...new Set(page.map(({ runId }) => runId))]);
  return pageOf(page, ({ runId }) => meaningsOf(runId));
}

/** Returns the next write-back conflicts of a workspace, with the keys that were skipped. */
export async function readConflicts(sql: Sql, workspaceId: WorkspaceId, after?: RecordPosition): Promise<RecordPage> {
  return pageOf(await readPage(sql, { workspaceId, after }, { table: 'write_back_conflicts', text: 'key' }));
}

export interface ErasedRecords {
  readonly records: number;
  /** Hashes that were deleted from resume ledgers. */
  readonly hashes: number;
}

interface RecordsToErase {
  readonly workspaceId: WorkspaceId;
  readonly records: readonly RecordPosition[];
  /** Key of the hashes by which rows are recognised. */
  readonly ledgerKey: Secret;
}

/**
 * Deletes failed records and the hashes of their rows, in the ledgers of all runs of the pipeline.
 * Hashes of delivered rows cannot be found: they are keyed, and nothing leads from a person to them. They are deleted when the
 * position of their pipeline has passed them.
 */
export async function eraseFailedRecords(tx: Transaction, toErase: RecordsToErase): Promise<ErasedRecords> {
  if (toErase.records.length === 0) return { records: 0, hashes: 0 };
  const hashes = await eraseHashes(tx, toErase);
  return { records: await deleteRecords(tx, toErase, 'failed_records'), hashes };
}

/** Deletes conflicts of write-backs. Returns how many it deleted. */
export async function eraseConflicts(tx: Transaction, toErase: Omit<RecordsToErase, 'ledgerKey'>): Promise<number> {
  return toErase.records.length === 0 ? 0 : await deleteRecords(tx, toErase, 'write_back_conflicts');
}

type RecordTable = 'failed_records' | 'write_back_conflicts';

async function deleteRecords(
  tx: Transaction,
  { workspaceId, records }: Omit<RecordsToErase, 'ledgerKey'>,
  table: RecordTable,
): Promise<number> {
  return await tx.execute(
    `DELETE FROM ${table} WHERE workspace_id = $1
       AND (run_id, id) IN (SELECT run_id, id FROM unnest($2::bigint[], $3::bigint[]) AS named (run_id, id))`,
    [workspaceId, records.map(({ runId }) => runId), records.map(({ id }) => id)],
  );
}

interface RecordText extends RecordPosition {
  readonly text: string;
}

function pageOf(
  page: readonly RecordText[],
  meaningsOf: (record: RecordText) => MeaningsOf | undefined = () => undefined,
): RecordPage {
  const records = page.map((record) => ({
    ref: { runId: record.runId, id: record.id },
    read: () => parseJson(record.text),
    meaningsOf: meaningsOf(record),
  }));
  const next = records.at(-1)?.ref;
  return { records, ...(next !== undefined && { next }) };
}

interface Place {
  readonly workspaceId: WorkspaceId;
  /** Last record of the previous page. */
  readonly after: RecordPosition | undefined;
}

/**
 * Returns one page of texts. `before` is the number of bytes of earlier records, so that a page has at least one record,
 * however long.
 */
function readPage(
  sql: Sql,
  { workspaceId, after }: Place,
  { table, text }: { readonly table: RecordTable; readonly text: 'row' | 'key' },
): Promise<readonly RecordText[]> {
  return sql.query<RecordText>(
    `SELECT run_id AS "runId", id, text FROM (
       SELECT run_id, id, text, sum(octet_length(text)) OVER (ORDER BY run_id, id) - octet_length(text) AS before FROM (
         SELECT run_id, id, "${text}" AS text FROM ${table} WHERE workspace_id = $1 AND (run_id, id) > ($2, $3)
         ORDER BY run_id, id LIMIT ${AT_ONCE}) AS following) AS page
     WHERE before < ${PAGE_BYTES} ORDER BY run_id, id`,
    [workspaceId, after?.runId ?? -1n, after?.id ?? -1n],
  );
}

/**
 * Returns the meanings of the columns of each run's rows, where their names do not say them.
 * Columns of an events pipeline have any names; its transformation determines which of them are identities.
 */
async function loadMeanings(
  sql: Sql,
  workspaceId: WorkspaceId,
  runIds: readonly bigint[],
): Promise<(runId: bigint) => MeaningsOf | undefined> {
  if (runIds.length === 0) return () => undefined;
  const runs = await sql.query<{ readonly id: bigint; readonly snapshot: string }>(
    'SELECT id, snapshot FROM pipeline_runs WHERE workspace_id = $1 AND id = ANY($2) AND snapshot IS NOT NULL',
    [workspaceId, runIds],
  );
  const meanings = new Map(runs.map(({ id, snapshot }) => [id, meaningsOf(snapshot)]));
  return (runId) => meanings.get(runId);
}

function meaningsOf(snapshot: string): MeaningsOf | undefined {
  const { transformation } = snapshotFromText(snapshot);
  if (transformation === null) return undefined;
  const byColumn = Map.groupBy(transformation.mappings.flatMap(meaningOfMapping), ([column]) => column);
  // a field of JSON inside a cell is no column, whatever its name
  return (column, depth) => (depth > 0 ? undefined : byColumn.get(column.toLowerCase())?.map(([, meaning]) => meaning));
}

function meaningOfMapping(mapping: FieldMapping): readonly (readonly [column: string, meaning: Meaning])[] {
  if (mapping.type !== 'column') return [];
  const [first = '', last = first] = mapping.destination.split('.');
  if (first === 'mpid') return [[mapping.source.toLowerCase(), 'mpid']];
  const isIdentity = ['user_identities', 'device_info', 'mp_deviceid'].includes(first);
  const type = isIdentity ? identityTypeOfColumn(last) : undefined;
  return type === undefined ? [] : [[mapping.source.toLowerCase(), type]];
}
