import { type Clock, eachApart, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Store } from '../../store/index.ts';
import { dropFile, type ResultFileKey } from './result-file.ts';

/** Time after which an unfinished file counts as abandoned. Its request, if still open, begins another. */
const LEFT_BEHIND_MS = 7 * 24 * 3_600_000;

/**
 * Deletes expired files and what failed attempts left behind. Returns how many. After an abort or a crash, the next call
 * deletes the rest.
 */
export async function expireResultFiles(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  signal: AbortSignal,
): Promise<number> {
  const now = new Date(clock.nowMs());
  const over = await store.query<ResultFileKey>(
    `/* across workspaces: files whose time is over */
     SELECT workspace_id AS "workspaceId", request_id AS "requestId", file_id AS "fileId" FROM dsr_result_files
     WHERE state = 'dropping' OR (state = 'ready' AND expires_on <= $1) OR (state = 'writing' AND started_on <= $2)`,
    [now, new Date(now.getTime() - LEFT_BEHIND_MS)],
  );
  await eachApart(
    over,
    async (file) => {
      await hideFile(store, file);
      await dropFile(store, file, signal);
    },
    signal,
  );
  return over.length;
}

/** Hides a file and ends writing to it. */
async function hideFile(sql: Sql, { workspaceId, requestId, fileId }: ResultFileKey): Promise<void> {
  await sql.execute(
    `UPDATE dsr_result_files SET state = 'dropping'
     WHERE workspace_id = $1 AND request_id = $2 AND file_id = $3 AND state IN ('writing', 'ready')`,
    [workspaceId, requestId, fileId],
  );
}

/**
 * Hides all files of erased people at once, also those being written. Called once nothing else holds these people. Returns how
 * many; `deleteHiddenFiles` then deletes their content.
 */
export async function hideFilesOf(
  sql: Sql,
  { workspaceId, mpids }: { readonly workspaceId: WorkspaceId; readonly mpids: readonly bigint[] },
): Promise<number> {
  return await sql.execute(
    `UPDATE dsr_result_files SET state = 'dropping'
     WHERE workspace_id = $1 AND mpids && $2::int8[] AND state IN ('writing', 'ready')`,
    [workspaceId, mpids],
  );
}

/** Deletes the abandoned files of a workspace, in bounded statements. */
export async function deleteHiddenFiles(sql: Sql, workspaceId: WorkspaceId, signal: AbortSignal): Promise<void> {
  const files = await sql.query<ResultFileKey>(
    `SELECT workspace_id AS "workspaceId", request_id AS "requestId", file_id AS "fileId" FROM dsr_result_files
     WHERE workspace_id = $1 AND state = 'dropping'`,
    [workspaceId],
  );
  for (const file of files) {
    if (signal.aborted) return;
    await dropFile(sql, file, signal);
  }
}
