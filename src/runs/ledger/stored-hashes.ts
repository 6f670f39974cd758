// The statements of the resume ledger's table. Each names a pipeline and its generation, which are the beginning of the primary
// key.
import { hash } from 'node:crypto';
import { formatMicros, type Micros } from '../../kernel/index.ts';
import { HASH_BYTES, type RowHash } from '../../mapping/index.ts';
import type { Sql, Store, Transaction } from '../../store/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { HashStream } from './hash-multiset.ts';

export type LedgerOwner = Pick<ClaimedRun, 'workspaceId' | 'pipelineNumber' | 'runId' | 'snapshot'>;

/**
 * The stored hashes to read: those that this run took or deduplicated, only those that it deduplicated, or those that other
 * runs took.
 */
export type HashSource = 'own' | 'own deduplicated' | 'others';

export interface HashSelection {
  readonly owner: LedgerOwner;
  readonly source: HashSource;
  /** Lower bound for other runs: only rows that may lie after it count. Undefined: all rows. */
  readonly after: Micros | undefined;
  /** Names of the hashed columns (`RowHash.names`). `isNewest` adds hashes whose columns are unknown. */
  readonly names: string;
  readonly isNewest: boolean;
}

const COLUMNS: Readonly<Record<HashSource, readonly string[]>> = {
  own: ['delivered', 'deduplicated'],
  'own deduplicated': ['deduplicated'],
  others: ['delivered'],
};

/** Returns the number of hashes without reading them. */
export async function countHashes(sql: Sql, selection: HashSelection): Promise<number> {
  const bytes = COLUMNS[selection.source].map((column) => `octet_length(chunk.${column})`).join(' + ');
  const [row] = await sql.query<{ hashes: bigint | null }>(
    `SELECT (sum(${bytes}) / ${HASH_BYTES})::bigint AS hashes ${chunksOf(selection)}`,
  );
  return Number(row?.hashes ?? 0n);
}

/** Bytes that fit into one message of the protocol. The driver copies a message that is larger than its read buffer. */
const PIECE_BYTES = 1024 * HASH_BYTES;

/** Reads the hashes as they arrive, a piece at a time, without garbage. The stream may be read again. */
export function streamHashes(store: Store, selection: HashSelection): HashStream {
  return async (onHashes) => {
    const piece = new Uint8Array(PIECE_BYTES);
    for (const column of COLUMNS[selection.source]) {
      await store.transaction((tx) =>
        tx.copyOut(piecesOf(column, selection), ['bytea'], ([bytes]) => {
          if (!(bytes instanceof Uint8Array)) return;
          // words need aligned addresses
          piece.set(bytes);
          onHashes(wordsOf(piece.subarray(0, bytes.length)));
        }),
      );
    }
  };
}

function piecesOf(column: string, selection: HashSelection): string {
  const pieces = `CROSS JOIN LATERAL generate_series(1, octet_length(chunk.${column}), ${PIECE_BYTES}) AS piece(at)`;
  return `SELECT substr(chunk.${column}, piece.at, ${PIECE_BYTES}) ${chunksOf(selection, pieces)}`;
}

export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/**
 * Returns FROM and WHERE of a selection, without parameters, because COPY takes none.
 * It inserts only numbers, a time in Penstock's own format, and a digest of the names, which are the customer's text.
 */
function chunksOf({ owner, source, after, names, isNewest }: HashSelection, joined = ''): string {
  const { workspaceId, pipelineNumber, runId, snapshot } = owner;
  const isOwn = source !== 'others';
  const reaches = isOwn || after === undefined ? '' : ` AND ${reachesPast(`'${formatMicros(after)}'`)}`;
  const digest = `encode(sha256(convert_to(chunk.columns, 'UTF8')), 'hex') = '${hash('sha256', names, 'hex')}'`;
  return `FROM run_chunks AS chunk ${joined}
    WHERE chunk.workspace_id = ${workspaceId} AND chunk.pipeline_number = ${pipelineNumber}
      AND chunk.generation = ${snapshot.pipeline.generation} AND chunk.run_id ${isOwn ? '=' : '<>'} ${runId}${reaches}
      AND (${digest}${isNewest ? ' OR chunk.columns IS NULL' : ''})`;
}

/** Returns the condition for rows of the ledger that may know rows from `start` on. */
function reachesPast(start: string): string {
  return `(chunk.ends_before IS NULL OR chunk.ends_before > ${start})`;
}

export interface LedgerReach {
  readonly owner: LedgerOwner;
  /** The reach includes other runs; otherwise only this one. */
  readonly others: boolean;
  readonly after: Micros | undefined;
}

/** The hashed columns, as in their `RowHash`. */
export type HashColumns = Pick<RowHash, 'names' | 'types'>;

/** Hashed columns as stored in the ledger. Without types where an earlier Penstock did not keep them. */
export interface StoredColumns {
  readonly names: string;
  readonly types: string | null;
}

/** Returns each set of columns whose hashes a run has to know. */
export async function columnsInLedger(
  sql: Sql,
  { owner, others, after }: LedgerReach,
): Promise<readonly StoredColumns[]> {
  const { workspaceId, pipelineNumber, runId, snapshot } = owner;
  return await sql.query<StoredColumns>(
    `SELECT DISTINCT chunk.columns AS names, chunk.column_types AS types FROM run_chunks AS chunk
     WHERE chunk.workspace_id = $1 AND chunk.pipeline_number = $2 AND chunk.generation = $3 AND chunk.columns IS NOT NULL
       AND (octet_length(chunk.delivered) > 0 OR octet_length(chunk.deduplicated) > 0)
       AND (chunk.run_id = $4 OR $5 AND ($6::text IS NULL OR ${reachesPast('$6')}))`,
    [
      workspaceId,
      pipelineNumber,
      snapshot.pipeline.generation,
      runId,
      others,
      after === undefined ? null : formatMicros(after),
    ],
  );
}

/** One row of the ledger. */
export interface LedgerPiece {
  readonly columns: HashColumns;
  /** Instant before which all its rows lie; undefined where that is unknown. */
  readonly endsBefore: Micros | undefined;
  /** Number of rows that the run had counted before these. */
  readonly afterRows: number;
  readonly delivered: Uint8Array;
  readonly deduplicated: Uint8Array;
}

/** Writes hashes in the transaction that delivers their rows. These 16 bytes for each row are the whole cost of resuming. */
export async function writeHashes(tx: Transaction, owner: LedgerOwner, piece: LedgerPiece): Promise<void> {
  const { workspaceId, pipelineNumber, runId, snapshot } = owner;
  await tx.execute(
    `INSERT INTO run_chunks
       (workspace_id, pipeline_number, generation, run_id, after_rows, delivered, deduplicated, ends_before, columns, column_types)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      workspaceId,
      pipelineNumber,
      snapshot.pipeline.generation,
      runId,
      piece.afterRows,
      piece.delivered,
      piece.deduplicated,
      piece.endsBefore === undefined ? null : formatMicros(piece.endsBefore),
      piece.columns.names,
      piece.columns.types,
    ],
  );
}
