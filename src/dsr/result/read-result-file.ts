import { isUuid } from '../../events/index.ts';
import { AppError, type Clock } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { ResultFileKey } from './result-file.ts';

export interface ResultFile {
  readonly sizeBytes: number;
  /** Content of the file, one part at a time, each read on demand. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

interface FileRow {
  readonly fileId: bigint;
  readonly state: string;
  readonly parts: number;
  readonly sizeBytes: bigint;
  readonly expiresOn: Date;
}

/**
 * Opens the file of a request. Throws NOT_FOUND where none was made, and GONE where its 7 days are over or an erasure removed
 * it.
 */
export async function openResultFile(
  { store, clock }: { readonly store: Sql; readonly clock: Clock },
  { workspaceId, requestId }: RequestKey,
): Promise<ResultFile> {
  const file = isUuid(requestId) ? await findFile(store, { workspaceId, requestId }) : undefined;
  if (file === undefined) {
    throw new AppError('NOT_FOUND', `There is no result file of a request ${requestId} in this workspace.`);
  }
  if (file.state !== 'ready' || file.expiresOn.getTime() <= clock.nowMs()) {
    throw new AppError('GONE', `The result file of request ${requestId} was removed after 7 days. Send a new request.`);
  }
  const { fileId, parts, sizeBytes } = file;
  return { sizeBytes: Number(sizeBytes), bytes: readParts(store, { workspaceId, requestId, fileId }, parts) };
}

type RequestKey = Pick<ResultFileKey, 'workspaceId' | 'requestId'>;

/** Finds the file of the attempt that completed the request: only that one has an expiry. */
async function findFile(sql: Sql, { workspaceId, requestId }: RequestKey): Promise<FileRow | undefined> {
  const rows = await sql.query<FileRow>(
    `SELECT file_id AS "fileId", state, parts, size_bytes AS "sizeBytes", expires_on AS "expiresOn"
     FROM dsr_result_files WHERE workspace_id = $1 AND request_id = $2 AND expires_on IS NOT NULL`,
    [workspaceId, requestId],
  );
  return rows[0];
}

/**
 * Yields the parts. Throws GONE where a part is missing: the connection then breaks, so that no client takes a part for the
 * whole.
 */
async function* readParts(sql: Sql, { workspaceId, requestId, fileId }: ResultFileKey, parts: number) {
  for (let part = 0; part < parts; part++) {
    const [row] = await sql.query<{ readonly bytes: Uint8Array }>(
      'SELECT bytes FROM dsr_result_parts WHERE workspace_id = $1 AND file_id = $2 AND part = $3',
      [workspaceId, fileId, part],
    );
    if (row === undefined)
      throw new AppError('GONE', `The result file of request ${requestId} was deleted in the meantime.`);
    yield row.bytes;
  }
}
