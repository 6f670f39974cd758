import { AppError, asAppError, type ErrorCode } from '../kernel/index.ts';
import { type Column, checkModel } from '../warehouse/index.ts';
import { askWarehouse, reachable } from './ask-warehouse.ts';
import type { Connection } from './connection.ts';
import { connectorMissing } from './provider.ts';
import type { SyncDeps } from './sync-deps.ts';

/**
 * What a warehouse says of a model without reading a row. `invalid`: the model is at fault; `unavailable`: nothing was
 * learned, because the warehouse or the connection is in the way.
 */
export type Described =
  | { readonly outcome: 'described'; readonly columns: readonly Column[]; readonly warnings: readonly string[] }
  | { readonly outcome: 'invalid'; readonly error: AppError }
  | { readonly outcome: 'unavailable'; readonly error: AppError };

/** Errors that only another model, or another warehouse, mends. */
const FAULTS_OF_MODEL: ReadonlySet<ErrorCode> = new Set([
  'SQL_REFUSED',
  'WAREHOUSE_SQL_INVALID',
  'WAREHOUSE_OBJECT_MISSING',
  'WAREHOUSE_DATA',
  'MODEL_INVALID',
]);

/** First the provider's own grammar, then the warehouse itself, within `warehouseWaitMs`. Never throws. */
export async function describeModel(deps: SyncDeps, connection: Connection, sqlQuery: string): Promise<Described> {
  const dialect = deps.fleet[connection.provider]?.dialect;
  if (dialect === undefined) {
    const message = connectorMissing(connection.provider);
    return { outcome: 'unavailable', error: new AppError('CONNECTOR_MISSING', message) };
  }
  try {
    const check = await checkModel(sqlQuery, dialect);
    if (check.outcome === 'refused') {
      return { outcome: 'invalid', error: new AppError('SQL_REFUSED', check.complaint.message) };
    }
    const statement = { sql: check.sql, parameters: {} };
    const columns = await askWarehouse(deps, reachable(deps, connection), (session, signal) =>
      session.describe(statement, signal),
    );
    return { outcome: 'described', columns, warnings: check.outcome === 'accepted' ? check.warnings : [] };
  } catch (thrown) {
    const error = asAppError(thrown);
    return { outcome: FAULTS_OF_MODEL.has(error.code) ? 'invalid' : 'unavailable', error };
  }
}
