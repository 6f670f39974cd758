import type { Static } from 'typebox';
import type { Caller } from '../../http/index.ts';
import { refuse } from '../../kernel/index.ts';
import { findConnection, unknownConnection } from '../connections/load-connection.ts';
import type { ValidateAnswer } from '../contract/data-model.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { describeModel } from './describe-model.ts';
import { loadDataModel } from './load-data-model.ts';

/**
 * Returns whether a model works on one warehouse, and its columns. Reads no row and changes nothing. Throws NOT_FOUND,
 * VALIDATION_FAILED for an unknown connection, and the error that kept the warehouse from answering.
 */
export async function validateDataModel(
  deps: PipelinesDeps,
  { workspaceId }: Caller,
  { id, connectionId }: { readonly id: string; readonly connectionId: string },
): Promise<Static<typeof ValidateAnswer>> {
  const model = await loadDataModel(deps.store, { workspaceId, id });
  const connection = await findConnection(deps.store, { workspaceId, id: connectionId });
  if (connection === undefined) throw refuse([{ path: 'connection_id', message: unknownConnection(connectionId) }]);
  const described = await describeModel(deps, connection, model.sqlQuery);
  if (described.outcome === 'unavailable') throw described.error;
  if (described.outcome === 'invalid') {
    return { status: 'invalid', errors: [{ message: described.error.message }], columns: [] };
  }
  const columns = described.columns.map(({ name, nativeType }) => ({ name, type: nativeType }));
  return { status: 'valid', errors: [], columns };
}
