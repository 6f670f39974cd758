// The statements of the resume ledger's table. Each names a pipeline and its generation, with which the key begins.
import { formatMicros, type Micros } from '../../kernel/index.ts';
import type { Sql, Store, Transaction } from '../../store/index.ts';
import type { ClaimedRun } from '../claim-run.ts';
import type { HashStream } from './hash-multiset.ts';
import { HASH_BYTES } from './row-hash.ts';

export type LedgerOwner = Pick<ClaimedRun, 'workspaceId' | 'pipelineNumber' | 'runId' | 'snapshot'>;

/** Which stored hashes: those that this run took or left out, only those that it left out, or what other runs took. */
export type HashSource = 'own' | 'own deduplicated' | 'others';

export interface HashSelection {
  readonly owner: LedgerOwner;
  readonly source: HashSource;
  /** Of other runs: only of those whose range ends after this; undefined: of all. */
  readonly after: Micros | undefined;
}

const COLUMNS: Readonly<Record<HashSource, readonly string[]>> = {
  own: ['delivered', 'deduplicated'],
  'own deduplicated': ['deduplicated'],
  others: ['delivered'],
};

/** How many there are; reads no hash. */
export async function countHashes(sql: Sql, selection: HashSelection): Promise<number> {
  const bytes = COLUMNS[selection.source].map((column) => `octet_length(chunk.${column})`).join(' + ');
  const [row] = await sql.query<{ hashes: bigint | null }>(
    `SELECT (sum(${bytes}) / ${HASH_BYTES})::bigint AS hashes ${chunksOf(selection)}`,
  );
  return Number(row?.hashes ?? 0n);
}

/** What comes in one message of the wire: the driver takes one apart that is larger than what it reads at once by copying. */
const PIECE_BYTES = 1024 * HASH_BYTES;

/** Reads them as they come over the wire, a piece at a time, without garbage. May be read again. */
export function streamHashes(store: Store, selection: HashSelection): HashStream {
  return async (onHashes) => {
    const piece = new Uint8Array(PIECE_BYTES);
    for (const column of COLUMNS[selection.source]) {
      await store.transaction((tx) =>
        tx.copyOut(piecesOf(column, selection), ['bytea'], ([bytes]) => {
          if (!(bytes instanceof Uint8Array)) return;
          // whole words stand at whole addresses
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

/** Without parameters, because COPY takes none: numbers, and a time that we write ourselves. */
function chunksOf({ owner, source, after }: HashSelection, joined = ''): string {
  const { workspaceId, pipelineNumber, runId, snapshot } = owner;
  const isOwn = source !== 'others';
  const overlaps = after === undefined ? '' : ` AND run.range_end > '${formatMicros(after)}'`;
  const others = `JOIN pipeline_runs AS run ON run.workspace_id = ${workspaceId} AND run.id = chunk.run_id${overlaps}`;
  return `FROM run_chunks AS chunk ${isOwn ? '' : others} ${joined}
    WHERE chunk.workspace_id = ${workspaceId} AND chunk.pipeline_number = ${pipelineNumber}
      AND chunk.generation = ${snapshot.pipeline.generation} AND chunk.run_id ${isOwn ? '=' : '<>'} ${runId}`;
}

export interface ChunkHashes {
  /** Rows that the run had counted before this chunk. */
  readonly afterRows: number;
  readonly delivered: Uint8Array;
  readonly deduplicated: Uint8Array;
}

/** Part of the transaction that delivers the chunk: 16 bytes a row are all that resuming costs. */
export async function writeHashes(tx: Transaction, owner: LedgerOwner, hashes: ChunkHashes): Promise<void> {
  const { workspaceId, pipelineNumber, runId, snapshot } = owner;
  await tx.execute(
    `INSERT INTO run_chunks (workspace_id, pipeline_number, generation, run_id, after_rows, delivered, deduplicated)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[workspaceId, pipelineNumber, snapshot.pipeline.generation, runId],
      ...[hashes.afterRows, hashes.delivered, hashes.deduplicated],
    ],
  );
}
