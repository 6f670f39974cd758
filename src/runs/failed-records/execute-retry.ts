import { AppError, type Clock } from '../../kernel/index.ts';
import { cellsFromText, mapRows, type UnitMapping } from '../../mapping/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import type { Column } from '../../warehouse/index.ts';
import { KEY_BYTES, NO_DEDUPLICATED, type RowLedger } from '../ledger/row-ledger.ts';
import { keepRows } from '../ledger/row-pack.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import { deliverAll, futureRowWarnings } from '../read/deliver-all.ts';
import type { Execution } from '../read/execution.ts';
import { openMapping } from '../read/open-mapping.ts';
import type { MappedChunk } from '../read/read-chunks.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { RecordRetry } from './record-retry.ts';
import type { KeptColumns } from './write-failed-records.ts';

/**
 * Maps kept rows by the pipeline's current definition and delivers them. A row that fails again becomes a failed record of this
 * run.
 * Each chunk marks its records in its own transaction, so an attempt resumes where the previous one ended.
 */
export async function executeRetry(deps: RunsDeps, execution: Execution, retry: RecordRetry): Promise<RunResult> {
  const { store, clock, settings } = deps;
  const { claimed } = execution;
  const { chunkRows } = settings;
  let progress = claimed.counts;
  for (const columns of await loadColumns(store, claimed, retry)) {
    const mapping = openMapping(deps, execution, columns.columns);
    const ledger = createRecordLedger(clock, claimed, retry);
    // page by page from the store: there is nothing to interrupt
    const read = () => readRecords({ store, claimed, retry, columns, mapping, chunkRows });
    progress = await deliverAll(deps, execution, { read, mapping, columns, ledger, progress });
  }
  return { position: undefined, warnings: futureRowWarnings(claimed, progress) };
}

/** Approximate limit for the bytes of records that are read at once, whatever their number. */
const PAGE_BYTES = 16 * 1024 * 1024;

/** Matches records that were not retried yet and are named by `$3`; a null `$3` names all. */
const IS_WANTED = 'retried_on IS NULL AND cells IS NOT NULL AND ($3::bigint[] IS NULL OR record.id = ANY($3))';

/** Returns the sets of columns of the rows to retry. Rows of one set are mapped alike. */
async function loadColumns(
  { query }: Pick<Store, 'query'>,
  { workspaceId }: Pick<ClaimedRun, 'workspaceId'>,
  { failedRunId, ids }: RecordRetry,
): Promise<readonly KeptColumns[]> {
  const kinds = await query<{ id: number; columns: string }>(
    `SELECT id, columns FROM failed_columns AS kind WHERE workspace_id = $1 AND run_id = $2 AND EXISTS (
       SELECT FROM failed_records AS record
       WHERE record.workspace_id = $1 AND record.run_id = $2 AND record.columns_id = kind.id AND ${IS_WANTED})
     ORDER BY id`,
    [workspaceId, failedRunId, ids ?? null],
  );
  return kinds.map(({ id, columns }) => ({ id, columns: JSON.parse(columns) as readonly Column[] }));
}

interface RecordReading {
  readonly store: Store;
  readonly claimed: Pick<ClaimedRun, 'workspaceId'>;
  readonly retry: RecordRetry;
  readonly columns: KeptColumns;
  readonly mapping: UnitMapping;
  readonly chunkRows: number;
}

/** Yields records that were not retried yet, in the order in which they failed. Each page is read only on request. */
async function* readRecords(reading: RecordReading): AsyncGenerator<MappedChunk, void, undefined> {
  for (let after = 0n; ; ) {
    const page = await readPage(reading, after);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const rows = page.map(({ cells }) => cellsFromText(cells));
    const keys = keysOfRecords(page.map(({ id }) => id));
    const mapped = await mapRows(reading.mapping, rows);
    yield { mapped, rows: keepRows(rows), keys, deduplicated: NO_DEDUPLICATED };
  }
}

interface KeptRow {
  readonly id: bigint;
  readonly cells: string;
}

/**
 * One page of records. `before` is the number of bytes of earlier records, so that a page has at least one record, however
 * long.
 */
const READ_PAGE = `
  SELECT id, cells FROM (
    SELECT id, cells, sum(octet_length(cells)) OVER (ORDER BY id) - octet_length(cells) AS before FROM (
      SELECT id, cells FROM failed_records AS record
      WHERE workspace_id = $1 AND run_id = $2 AND ${IS_WANTED} AND columns_id = $4 AND id > $5
      ORDER BY id LIMIT $6) AS next) AS page
  WHERE before < ${PAGE_BYTES} ORDER BY id`;

function readPage({ store, claimed, retry, columns, chunkRows }: RecordReading, after: bigint) {
  const { failedRunId, ids } = retry;
  return store.query<KeptRow>(READ_PAGE, [claimed.workspaceId, failedRunId, ids ?? null, columns.id, after, chunkRows]);
}

/** Returns the keys of rows for `createRecordLedger`. Each is the id of the row's record. */
export function keysOfRecords(ids: readonly bigint[]): Uint8Array {
  const keys = Buffer.alloc(ids.length * KEY_BYTES);
  for (const [index, id] of ids.entries()) keys.writeBigInt64LE(id, index * KEY_BYTES);
  return keys;
}

/** Creates the ledger of a retry, which marks the record itself as taken. */
export function createRecordLedger(
  clock: Clock,
  { workspaceId }: Pick<ClaimedRun, 'workspaceId'>,
  { failedRunId }: RecordRetry,
): RowLedger {
  return {
    async write(tx, { keys }) {
      const taken = idsOf(keys);
      const marked = await markRetried(tx, [workspaceId, failedRunId, taken, new Date(clock.nowMs())]);
      if (marked !== taken.length)
        throw new AppError('STORE_CONFLICT', 'Some records were deleted while they were read.');
    },
  };
}

function idsOf(keys: Uint8Array): bigint[] {
  const view = new DataView(keys.buffer, keys.byteOffset, keys.byteLength);
  return Array.from({ length: keys.length / KEY_BYTES }, (_, index) => view.getBigInt64(index * KEY_BYTES, true));
}

type Marking = readonly [workspaceId: bigint, failedRunId: bigint, ids: readonly bigint[], retriedOn: Date];

async function markRetried(tx: Transaction, marking: Marking): Promise<number> {
  return await tx.execute(
    `UPDATE failed_records SET retried_on = $4
     WHERE workspace_id = $1 AND run_id = $2 AND id = ANY($3) AND retried_on IS NULL`,
    marking,
  );
}
