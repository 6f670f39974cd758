import { AppError, asAppError, type ErrorCode } from '../../kernel/index.ts';
import { type Column, checkModel, type ModelCheck } from '../../warehouse/index.ts';
import { askWarehouse, revealConnection } from '../connections/ask-warehouse.ts';
import type { Connection } from '../connections/connection.ts';
import { connectorMissing } from '../connections/provider.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';

/**
 * A warehouse's description of a model, for which no row is read.
 * - `invalid`: the model is at fault.
 * - `unavailable`: nothing was learned, because the warehouse or the connection failed.
 * - `warnings` come from the text itself.
 */
export type Described =
  | { readonly outcome: 'described'; readonly columns: readonly Column[]; readonly warnings: readonly string[] }
  | { readonly outcome: 'invalid'; readonly error: AppError }
  | { readonly outcome: 'unavailable'; readonly error: AppError; readonly warnings: readonly string[] };

/** Errors that only another model, or another warehouse, can fix. */
const FAULTS_OF_MODEL: ReadonlySet<ErrorCode> = new Set([
  'SQL_REFUSED',
  'WAREHOUSE_SQL_INVALID',
  'WAREHOUSE_OBJECT_MISSING',
  'WAREHOUSE_DATA',
  'MODEL_INVALID',
]);

/**
 * Describes a model, first by the provider's own grammar, then by the warehouse itself, within `warehouseWaitMs`. Never throws.
 */
export async function describeModel(deps: PipelinesDeps, connection: Connection, sqlQuery: string): Promise<Described> {
  return describe(deps, connection, { sqlQuery, asks: true });
}

/**
 * Describes a model for a pipeline that is being saved. A connection with a known fault is not asked, because waiting again for
 * the same answer is useless.
 */
export async function describeForPipeline(
  deps: PipelinesDeps,
  connection: Connection,
  model: { readonly sqlQuery: string; readonly iterator: string | undefined },
): Promise<Described> {
  return describe(deps, connection, { ...model, asks: connection.fault === null });
}

interface Asked {
  readonly sqlQuery: string;
  /** Column that the runs of the pipeline filter by. */
  readonly iterator?: string | undefined;
  readonly asks: boolean;
}

async function describe(
  deps: PipelinesDeps,
  connection: Connection,
  { sqlQuery, iterator, asks }: Asked,
): Promise<Described> {
  const dialect = deps.fleet[connection.provider]?.dialect;
  if (dialect === undefined) {
    const message = connectorMissing(connection.provider);
    return { outcome: 'unavailable', error: new AppError('CONNECTOR_MISSING', message), warnings: [] };
  }
  const check = await checkModel(sqlQuery, dialect);
  if (check.outcome === 'refused') {
    return { outcome: 'invalid', error: new AppError('SQL_REFUSED', check.complaint.message) };
  }
  if (asks) return await ask(deps, connection, { check, iterator });
  const error = new AppError('WAREHOUSE_UNREACHABLE', `the connection "${connection.id}" is faulted.`);
  return { outcome: 'unavailable', error, warnings: warningsOf(check) };
}

async function ask(
  deps: PipelinesDeps,
  connection: Connection,
  { check, iterator }: Pick<Asked, 'iterator'> & { readonly check: Accepted },
): Promise<Described> {
  const statement = { sql: check.sql, parameters: {}, iterator };
  const warnings = warningsOf(check);
  try {
    const columns = await askWarehouse(deps, revealConnection(deps, connection), (session, signal) =>
      session.describe(statement, signal),
    );
    return { outcome: 'described', columns, warnings };
  } catch (thrown) {
    const error = asAppError(thrown);
    return FAULTS_OF_MODEL.has(error.code)
      ? { outcome: 'invalid', error }
      : { outcome: 'unavailable', error, warnings };
  }
}

type Accepted = Exclude<ModelCheck, { readonly outcome: 'refused' }>;

function warningsOf(check: Accepted): readonly string[] {
  return check.outcome === 'accepted' ? check.warnings : [];
}
