import type { Static } from 'typebox';
import type { Caller } from '../http/index.ts';
import { refuse } from '../kernel/index.ts';
import { askWarehouse, findConnection, loadDataModel, reachable, unknownConnection } from '../sync/index.ts';
import { type Session, type Statement, wrapModel } from '../warehouse/index.ts';
import { MOST_PREVIEW_ROWS, type PreviewAnswer } from './contract/trial.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { plainOf } from './mapping/failed-row.ts';
import type { Row } from './mapping/unit-mapping.ts';
import { acceptedSql } from './model-source.ts';
import { connectorOf } from './open-session.ts';

export interface PreviewRequest {
  readonly modelId: string;
  readonly connectionId: string;
  readonly limit?: number | undefined;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
}

/**
 * Some rows of a model on one warehouse; keeps nothing. Throws NOT_FOUND, VALIDATION_FAILED for an unknown connection,
 * SQL_REFUSED, and what the warehouse says, WAREHOUSE_TIMEOUT when it is too slow.
 */
export async function previewModel(
  deps: EndpointDeps,
  { workspaceId }: Caller,
  { modelId, connectionId, limit = MOST_PREVIEW_ROWS, signal: caller }: PreviewRequest,
): Promise<Static<typeof PreviewAnswer>> {
  const model = await loadDataModel(deps.store, { workspaceId, id: modelId });
  const connection = await findConnection(deps.store, { workspaceId, id: connectionId });
  if (connection === undefined) throw refuse([{ path: 'connection_id', message: unknownConnection(connectionId) }]);
  const { dialect } = connectorOf(deps, connection);
  const sql = await acceptedSql(model.sqlQuery, dialect);
  return await askWarehouse(deps, { ...reachable(deps, connection), signal: caller }, async (session, signal) => {
    const columns = await session.describe({ sql, parameters: {} }, signal);
    const rows = await firstRows(session, { statement: wrapModel({ sql, dialect, limit }), limit, signal });
    return {
      columns: columns.map(({ name, nativeType }) => ({ name, type: nativeType })),
      rows: rows.map((row) => row.map(plainOf)),
    };
  });
}

interface FirstRows {
  readonly statement: Statement;
  readonly limit: number;
  readonly signal: AbortSignal;
}

const CHUNK_BYTES = 8 * 1024 * 1024;

/** At most `limit` rows of the statement; what is left in the warehouse is freed. */
export async function firstRows(session: Session, { statement, limit, signal }: FirstRows): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const { chunks } = await session.read({ statement, chunkRows: limit, chunkBytes: CHUNK_BYTES }, signal);
  for await (const chunk of chunks) {
    rows.push(...chunk);
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}
