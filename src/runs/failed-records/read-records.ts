import type { UnitMapping } from '../../mapping/index.ts';
import { cellsFromText, mapRows } from '../../mapping/index.ts';
import type { Store } from '../../store/index.ts';
import type { Column } from '../../warehouse/index.ts';
import { NOTHING_LEFT_OUT } from '../ledger/row-ledger.ts';
import { keepRows } from '../ledger/row-pack.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { MappedChunk } from '../read/read-chunks.ts';
import { keysOfRecords } from './record-ledger.ts';
import type { RecordRetry } from './record-retry.ts';
import type { KeptColumns } from './write-failed-records.ts';

/** Approximate limit for the bytes of records that are read at once, whatever their number. */
const PAGE_BYTES = 16 * 1024 * 1024;

/** Matches records that were not retried yet and are named by `$3`; a null `$3` names all. */
const IS_WANTED = 'retried_on IS NULL AND cells IS NOT NULL AND ($3::bigint[] IS NULL OR record.id = ANY($3))';

type RetryingRun = Pick<ClaimedRun, 'workspaceId'>;

/** Returns the sets of columns of the rows to retry. Rows of one set are mapped alike. */
export async function loadColumns(
  { query }: Pick<Store, 'query'>,
  { workspaceId }: RetryingRun,
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

export interface RecordReading {
  readonly store: Store;
  readonly claimed: RetryingRun;
  readonly retry: RecordRetry;
  readonly columns: KeptColumns;
  readonly mapping: UnitMapping;
  readonly chunkRows: number;
}

/** Yields records that were not retried yet, in the order in which they failed. Each page is read only on request. */
export async function* readRecords(reading: RecordReading): AsyncGenerator<MappedChunk, void, undefined> {
  for (let after = 0n; ; ) {
    const page = await readPage(reading, after);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const rows = page.map(({ cells }) => cellsFromText(cells));
    const keys = keysOfRecords(page.map(({ id }) => id));
    const mapped = await mapRows(reading.mapping, rows);
    yield { mapped, rows: keepRows(rows), keys, deduplicated: NOTHING_LEFT_OUT };
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
