import { Type } from 'typebox';
import { providerOf } from '../../../connectors/facts.ts';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { refuse } from '../../kernel/index.ts';
import { deleteConnection } from '../connections/delete-connection.ts';
import { listConnections, loadConnection } from '../connections/load-connection.ts';
import { probeStored } from '../connections/probe-connection.ts';
import { unknownProvider } from '../connections/provider.ts';
import { createConnection, replaceConnection } from '../connections/save-connection.ts';
import { ConnectionAnswer, ConnectionBody, ConnectionTestAnswer } from '../contract/connection.ts';
import { READ_ONLY_FIELDS } from '../contract/shared.ts';
import type { PipelinesDeps, PipelinesEndpointDeps } from '../pipelines-deps.ts';
import { connectionAnswer } from '../wire/connection-answer.ts';
import { BASE, CHANGES, NoContent, pathParams, READS, TRIALS_LIMITED, workspaceParams } from './platform-endpoint.ts';

const PATH = `${BASE}/connections`;
const tag = 'Connections';
const params = pathParams({ connectionId: Type.String() });

/** Returns the endpoints of connections. `test` is an extension (D-110). */
export function connectionEndpoints(deps: PipelinesEndpointDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps), test(deps)];
}

function list({ store, fleet }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params: workspaceParams,
    operationId: 'listConnections',
    summary: 'List connections',
    description: '`service_provider` filters the list.',
    query: Type.Object({ serviceProvider: Type.Optional(Type.String()) }),
    responses: { 200: Type.Array(ConnectionAnswer) },
    async handler({ caller, query }) {
      const word = query.serviceProvider;
      const provider = word === undefined ? undefined : providerOf(word);
      if (word !== undefined && provider === undefined) {
        throw refuse([{ path: 'serviceProvider', message: unknownProvider(word) }]);
      }
      const found = await listConnections(store, caller.workspaceId, provider);
      return { status: 200, body: found.map((connection) => connectionAnswer(fleet, connection)) };
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
    operationId: 'getConnection',
    summary: 'Get a connection',
    responses: { 200: ConnectionAnswer },
    async handler({ caller: { workspaceId }, params: { connectionId: id } }) {
      return { status: 200, body: connectionAnswer(fleet, await loadConnection(store, { workspaceId, id })) };
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
    operationId: 'createConnection',
    refusals: { 409: 'Another connection of this workspace already has that id.', 429: TRIALS_LIMITED },
    summary: 'Create a connection',
    description: 'Probes the warehouse. A refusal marks the connection as faulted.',
    body: ConnectionBody,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: ConnectionAnswer },
    async handler({ caller, body, signal }) {
      const { workspaceId } = caller;
      const made = await deps.runTrial({ workspaceId, signal }, () => createConnection(deps, caller, { body }));
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
    operationId: 'replaceConnection',
    summary: 'Replace a connection',
    description: 'Clears the fault. A masked secret keeps the stored secret.',
    refusals: { 429: TRIALS_LIMITED },
    body: ConnectionBody,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: ConnectionAnswer },
    async handler({ caller, params: { connectionId: id }, body, signal }) {
      const { workspaceId } = caller;
      const saved = await deps.runTrial({ workspaceId, signal }, () => replaceConnection(deps, caller, { id, body }));
      return { status: 200, body: connectionAnswer(deps.fleet, saved) };
    },
  });
}

function remove(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'DELETE',
    path: `${PATH}/:connectionId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'deleteConnection',
    refusals: { 409: 'A pipeline still uses the connection.' },
    summary: 'Delete a connection',
    description: 'Fails while a pipeline uses the resource.',
    responses: { 204: NoContent },
    async handler({ caller, params: { connectionId } }) {
      await deleteConnection(deps, caller, connectionId);
      return { status: 204 };
    },
  });
}

function test(deps: PipelinesEndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${PATH}/:connectionId/test`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'testConnection',
    summary: 'Test a connection',
    description: 'Probes the warehouse stage by stage. Nothing is changed.',
    refusals: { 429: TRIALS_LIMITED },
    responses: { 200: ConnectionTestAnswer },
    async handler({ caller: { workspaceId }, params: { connectionId: id }, signal }) {
      const connection = await loadConnection(deps.store, { workspaceId, id });
      const { fault, stages } = await deps.runTrial({ workspaceId, signal }, () => probeStored(deps, connection));
      const shown = stages.map(({ name, status, message }) => ({ name, status, message }));
      return { status: 200, body: { status: fault === null ? 'healthy' : 'faulted', stages: shown } };
    },
  });
}
