// Rows of result files. Each write first checks that the file is still wanted, under a lock that giving the file up needs too.
// So once an erasure has given a file up, nothing is added to it.
import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import { deleteInParts, type Sql, type Transaction } from '../../store/index.ts';

export interface ResultFileKey {
  readonly workspaceId: WorkspaceId;
  readonly requestId: string;
  readonly fileId: bigint;
}

export interface BegunFile extends ResultFileKey {
  readonly mpids: readonly bigint[];
  readonly startedOn: Date;
}

/** Begins the file of an attempt, and gives up files that earlier attempts of the request left. */
export async function beginFile(tx: Transaction, { mpids, startedOn, ...key }: BegunFile): Promise<void> {
  const { workspaceId, requestId, fileId } = key;
  await tx.execute(
    `UPDATE dsr_result_files SET state = 'dropping'
     WHERE workspace_id = $1 AND request_id = $2 AND state = 'writing'`,
    [workspaceId, requestId],
  );
  await tx.execute(
    `INSERT INTO dsr_result_files (workspace_id, request_id, file_id, state, mpids, started_on)
     VALUES ($1, $2, $3, 'writing', $4, $5)`,
    [workspaceId, requestId, fileId, mpids, startedOn],
  );
}

/** Adds the next part. Throws LEASE_LOST where the file was given up. */
export async function addPart(
  tx: Transaction,
  { workspaceId, requestId, fileId }: ResultFileKey,
  { part, bytes }: { readonly part: number; readonly bytes: Uint8Array },
): Promise<void> {
  const wanted = await tx.query(
    `SELECT 1 FROM dsr_result_files
     WHERE workspace_id = $1 AND request_id = $2 AND file_id = $3 AND state = 'writing' FOR SHARE`,
    [workspaceId, requestId, fileId],
  );
  if (wanted.length === 0) throw givenUp(requestId);
  await tx.execute('INSERT INTO dsr_result_parts (workspace_id, file_id, part, bytes) VALUES ($1, $2, $3, $4)', [
    workspaceId,
    fileId,
    part,
    bytes,
  ]);
}

/** A fully written file; `publishFile` makes it the file of its request. */
export interface WrittenFile extends ResultFileKey {
  readonly parts: number;
  readonly sizeBytes: number;
}

/**
 * Makes the file the one that `results_url` serves. Runs in the transaction that completes the request, so that both happen or
 * neither. Throws LEASE_LOST where another attempt or an erasure gave the file up.
 */
export async function publishFile(tx: Transaction, file: WrittenFile, expiresOn: Date): Promise<void> {
  const { workspaceId, requestId, fileId, parts, sizeBytes } = file;
  const made = await tx.execute(
    `UPDATE dsr_result_files SET state = 'ready', parts = $4, size_bytes = $5, expires_on = $6
     WHERE workspace_id = $1 AND request_id = $2 AND file_id = $3 AND state = 'writing'`,
    [workspaceId, requestId, fileId, parts, sizeBytes, expiresOn],
  );
  if (made !== 1) throw givenUp(requestId);
  await tx.execute(
    'UPDATE dsr_requests SET result_parts = $3, results_expire_on = $4 WHERE workspace_id = $1 AND id = $2',
    [workspaceId, requestId, parts, expiresOn],
  );
}

function givenUp(requestId: string): AppError {
  return new AppError(
    'LEASE_LOST',
    `Writing the result file of request ${requestId} stopped: another worker writes it, or an erasure came first.`,
  );
}

/** Maximum number of parts that one statement deletes: 64 MiB. */
const PARTS_AT_ONCE = 256;

/** Deletes the parts of a hidden file, then marks it dropped. Repeatable after an abort or a crash. */
export async function dropFile(
  sql: Sql,
  { workspaceId, requestId, fileId }: ResultFileKey,
  signal: AbortSignal,
): Promise<void> {
  await deleteInParts(sql, {
    statement: `DELETE FROM dsr_result_parts WHERE workspace_id = $1 AND file_id = $2 AND part IN (
        SELECT part FROM dsr_result_parts WHERE workspace_id = $1 AND file_id = $2 ORDER BY part LIMIT $3)`,
    values: [workspaceId, fileId, PARTS_AT_ONCE],
    mostRows: PARTS_AT_ONCE,
    signal,
  });
  if (signal.aborted) return;
  await sql.execute(
    `UPDATE dsr_result_files SET state = 'dropped', mpids = '{}'
     WHERE workspace_id = $1 AND request_id = $2 AND file_id = $3 AND state = 'dropping'`,
    [workspaceId, requestId, fileId],
  );
}
