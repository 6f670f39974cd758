import { and, asc, eq, type InferSelectModel } from 'drizzle-orm';
import type { Provider } from '../../../connectors/facts.ts';
import { AppError, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { connections } from '../tables.ts';
import type { Connection } from './connection.ts';

/**
 * Returns the connection with that id. `lock` holds the row to the end of the transaction; readers that only refer to it share
 * the lock.
 */
export async function findConnection(
  sql: Sql,
  key: { readonly workspaceId: WorkspaceId; readonly id: string },
  lock?: 'share' | 'update',
): Promise<Connection | undefined> {
  const query = sql.orm
    .select()
    .from(connections)
    .where(and(eq(connections.workspaceId, key.workspaceId), eq(connections.id, key.id)));
  const [row] = await (lock === undefined ? query : query.for(lock));
  return row === undefined ? undefined : connectionFromRow(row);
}

/** Returns the connection as `findConnection` does. Throws NOT_FOUND. */
export async function loadConnection(...args: Parameters<typeof findConnection>): Promise<Connection> {
  const connection = await findConnection(...args);
  if (connection !== undefined) return connection;
  throw connectionNotFound(args[1].id);
}

export function connectionNotFound(id: string): AppError {
  return new AppError(
    'NOT_FOUND',
    `There is no connection "${id}" in this workspace; GET the list to see what exists.`,
  );
}

/** Returns all connections of the workspace, or those of one provider, by id. */
export async function listConnections(
  sql: Sql,
  workspaceId: WorkspaceId,
  provider?: Provider,
): Promise<readonly Connection[]> {
  const rows = await sql.orm
    .select()
    .from(connections)
    .where(
      and(
        eq(connections.workspaceId, workspaceId),
        provider === undefined ? undefined : eq(connections.provider, provider),
      ),
    )
    .orderBy(asc(connections.id));
  return rows.map(connectionFromRow);
}

/** Builds a connection from its row. */
export function connectionFromRow(row: InferSelectModel<typeof connections>): Connection {
  return { ...row, workspaceId: workspaceId(row.workspaceId) };
}

/** Returns the message for a body that names an unknown connection (D-108). */
export function unknownConnection(id: string): string {
  return `there is no connection "${id}" in this workspace; create it, or name another`;
}
