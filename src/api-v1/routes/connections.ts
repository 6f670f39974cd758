import { Type } from 'typebox';
import { type Provider, providerOf } from '../../../connectors/facts.ts';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import type { Connection, PipelinesDeps, PipelinesEndpointDeps } from '../../pipelines/index.ts';
import {
  createConnection,
  deleteConnection,
  listConnections,
  NoContent,
  pathParams,
  replaceConnection,
  TRIALS_LIMITED,
  workspaceParams,
} from '../../pipelines/index.ts';
import { ConnectionAnswer, ConnectionBody, ConnectionChange } from '../contract/connection.ts';
import { READ_ONLY_FIELDS } from '../contract/shared.ts';
import { loadKnownConnection, loadKnownPipelines } from '../load-known.ts';
import { renderRefusals } from '../render-errors.ts';
import { requireTimestampType } from '../require-timestamp-type.ts';
import { connectionBasis, repeatOnConflict } from '../save-basis.ts';
import { providerOfType, warehouseOf } from '../warehouses.ts';
import { CONNECTION_NAMES, connectionAnswer, connectionBody } from '../wire/connection.ts';
import { BASE, CHANGES, READS, UNREACHABLE } from './platform-endpoint.ts';

const PATH = `${BASE}/connections`;
const tag = 'Warehouse sync v1: connections';
const params = pathParams({ connectionId: Type.String() });

/** Returns the endpoints of connections in version 1. */
export function connectionEndpoints(deps: PipelinesEndpointDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps)];
}

function list({ store, fleet }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params: workspaceParams,
    operationId: 'listConnectionsV1',
    summary: 'List connections',
    description: 'Connections to the warehouses that version 1 supports. `type` filters the list.',
    query: Type.Object({ type: Type.Optional(Type.String({ description: 'alpha, beta or gamma.' })) }),
    responses: { 200: Type.Array(ConnectionAnswer) },
    async handler({ caller, query: { type } }) {
      const provider = type === undefined ? undefined : providerOfType(type);
      const all = await listConnections(store, caller.workspaceId, provider);
      const known = all.filter((connection) => warehouseOf(connection) !== undefined);
      return { status: 200, body: known.map((connection) => connectionAnswer(fleet, connection)) };
    },
  });
}

function get({ store, fleet }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:connectionId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'getConnectionV1',
    summary: 'Get a connection',
    responses: { 200: ConnectionAnswer },
    async handler({ caller: { workspaceId }, params: { connectionId: id } }) {
      return { status: 200, body: connectionAnswer(fleet, await loadKnownConnection(store, { workspaceId, id })) };
    },
  });
}

function create(deps: PipelinesEndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: PATH,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'createConnectionV1',
    summary: 'Create a connection',
    description: 'Saves the connection only if its warehouse can be reached.',
    body: ConnectionBody,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: ConnectionAnswer },
    refusals: { 429: TRIALS_LIMITED, 505: UNREACHABLE },
    async handler({ caller, body, signal }) {
      const { workspaceId } = caller;
      const make = async () =>
        createConnection(deps, caller, { body: connectionBody(deps.fleet, body), mustAnswer: true });
      const made = await deps.runTrial({ workspaceId, signal }, () => renderRefusals(CONNECTION_NAMES, make));
      return { status: 200, body: connectionAnswer(deps.fleet, made) };
    },
  });
}

function replace(deps: PipelinesEndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PUT',
    path: `${PATH}/:connectionId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'replaceConnectionV1',
    summary: 'Replace a connection',
    description: 'Replaces the fields of version 1 and clears the fault, if the warehouse can be reached.',
    body: ConnectionChange,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: ConnectionAnswer },
    refusals: { 429: TRIALS_LIMITED, 505: UNREACHABLE },
    async handler({ caller, params: { connectionId: id }, body, signal }) {
      const { workspaceId } = caller;
      const put = async () => {
        const stored = await loadKnownConnection(deps.store, { workspaceId, id });
        const saving = { body: connectionBody(deps.fleet, { id, ...body }, stored), mustAnswer: true };
        await requireTypesStay(deps, stored, providerOf(saving.body.service_provider));
        return replaceConnection(deps, caller, {
          id,
          ...saving,
          basedOn: { read: stored, basisOf: connectionBasis },
        });
      };
      const save = () => renderRefusals(CONNECTION_NAMES, () => repeatOnConflict(put));
      const saved = await deps.runTrial({ workspaceId, signal }, save);
      return { status: 200, body: connectionAnswer(deps.fleet, saved) };
    },
  });
}

/**
 * Throws VALIDATION_FAILED where the new warehouse lacks the load timestamp type of a pipeline's model. The allowed types
 * depend on the warehouse.
 */
async function requireTypesStay(
  { store }: PipelinesDeps,
  { workspaceId, id, provider: before }: Connection,
  provider: Provider | undefined,
): Promise<void> {
  if (provider === undefined || provider === before) return;
  for (const { pipeline, dataModel } of await loadKnownPipelines(store, { workspaceId, connectionId: id })) {
    if (pipeline.kept.followsModel !== true) continue;
    requireTimestampType({ id, provider }, dataModel.loadTimestamp, `type: data model "${dataModel.id}": `);
  }
}

function remove(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'DELETE',
    path: `${PATH}/:connectionId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'deleteConnectionV1',
    summary: 'Delete a connection',
    description: 'Fails with 400 while a pipeline uses it.',
    responses: { 204: NoContent },
    async handler({ caller, params: { connectionId: id } }) {
      await loadKnownConnection(deps.store, { workspaceId: caller.workspaceId, id });
      await deleteConnection(deps, caller, id);
      return { status: 204 };
    },
  });
}
