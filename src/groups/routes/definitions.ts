import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS, WorkspaceParam } from '../../http/index.ts';
import { GROUP_READ_ONLY, GroupAnswer, GroupBody, GroupPatch, GroupReplacement } from '../contract/definition.ts';
import { findDefinition, type GroupDefinition, loadDefinition } from '../definition.ts';
import { deleteDefinition } from '../delete-definition.ts';
import type { GroupsDeps } from '../groups-deps.ts';
import { changeDefinition, createDefinition, type Edit, patch, replacement } from '../save-definition.ts';

const PATH = '/platform/workspaces/:workspaceId/groups';
const common = { api: 'platform_v2', tag: 'Groups', query: NO_PARAMETERS } as const;
const READS = { ...common, credential: 'platform_read' } as const;
const CHANGES = { ...common, credential: 'platform_admin', ignoredFields: GROUP_READ_ONLY } as const;
const params = Type.Object({ workspaceId: WorkspaceParam });
const oneGroup = Type.Object({ workspaceId: WorkspaceParam, groupId: Type.String() });
const refusals = { 422: 'A limit is exceeded, or an aggregation is unknown; the message names it.' };

/** Returns the endpoints of group definitions. */
export function definitionEndpoints(deps: GroupsDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), change(deps), remove(deps)];
}

function list({ store }: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    params,
    operationId: 'listGroups',
    summary: 'List group definitions',
    description: 'A workspace has at most one group definition.',
    responses: { 200: Type.Array(GroupAnswer) },
    async handler({ caller }) {
      const definition = await findDefinition(store, caller.workspaceId);
      return { status: 200, body: definition === undefined ? [] : [groupAnswer(definition)] };
    },
  });
}

function get({ store }: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:groupId`,
    params: oneGroup,
    operationId: 'getGroup',
    summary: 'Get a group definition',
    responses: { 200: GroupAnswer },
    async handler({ caller: { workspaceId }, params: { groupId: id } }) {
      return { status: 200, body: groupAnswer(await loadDefinition(store, { workspaceId, id })) };
    },
  });
}

function create(deps: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: PATH,
    params,
    operationId: 'createGroup',
    summary: 'Create a group definition',
    description: 'The next weekly run creates the groups.',
    body: GroupBody,
    responses: { 200: GroupAnswer },
    refusals: { 422: `${refusals[422]} A second definition is refused as well.` },
    async handler({ caller, body }) {
      return { status: 200, body: groupAnswer(await createDefinition(deps, caller, body)) };
    },
  });
}

function replace(deps: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PUT',
    path: `${PATH}/:groupId`,
    params: oneGroup,
    operationId: 'replaceGroup',
    summary: 'Replace a group definition',
    description:
      'Replaces everything except the id. Removed attributes disappear from profiles at once; new attributes appear with the next run.',
    body: GroupReplacement,
    responses: { 200: GroupAnswer },
    refusals,
    async handler({ caller, params: { groupId: id }, body }) {
      return { status: 200, body: groupAnswer(await changeDefinition(deps, caller, { id, edit: replacement(body) })) };
    },
  });
}

function change(deps: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PATCH',
    path: `${PATH}/:groupId`,
    params: oneGroup,
    operationId: 'changeGroup',
    summary: 'Update a group definition',
    description: 'Adds attributes, or replaces those with the same id.',
    body: GroupPatch,
    responses: { 200: GroupAnswer },
    refusals,
    async handler({ caller, params: { groupId: id }, body }) {
      const edit: Edit = patch(body);
      return { status: 200, body: groupAnswer(await changeDefinition(deps, caller, { id, edit })) };
    },
  });
}

function remove(deps: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    credential: 'platform_admin',
    method: 'DELETE',
    path: `${PATH}/:groupId`,
    params: oneGroup,
    operationId: 'deleteGroup',
    summary: 'Delete a group definition',
    description: 'Removes the group attributes from all profiles.',
    responses: { 204: Type.Null({ description: 'Empty body.' }) },
    async handler({ caller, params: { groupId } }) {
      await deleteDefinition(deps, caller, groupId);
      return { status: 204 };
    },
  });
}

function groupAnswer({ id, description, sourceUserAttribute, attributes, ...audit }: GroupDefinition): GroupAnswer {
  return {
    id,
    description,
    source_user_attribute: sourceUserAttribute,
    attributes: [...attributes],
    created_on: audit.createdOn.toISOString(),
    created_by: audit.createdBy,
    last_modified_on: audit.lastModifiedOn.toISOString(),
    last_modified_by: audit.lastModifiedBy,
  };
}
