import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS, WorkspaceParam } from '../../http/index.ts';
import { formatTime } from '../../kernel/index.ts';
import type { AccessDeps } from '../access-deps.ts';
import { DATA_PLAN_READ_ONLY, DataPlanAnswer, DataPlanBody } from '../contract/data-plan.ts';
import { type DataPlanUses, listDataPlans, loadDataPlan, type RegisteredPlan } from './data-plan.ts';
import { deleteDataPlan } from './delete-data-plan.ts';
import { createDataPlan, replaceDataPlan } from './save-data-plan.ts';

export interface DataPlanEndpointsDeps extends AccessDeps {
  readonly dataPlanUses: DataPlanUses;
}

const PATH = '/platform/v2/workspaces/:workspaceId/data-plans';
const common = { api: 'platform_v2', tag: 'Data plans', query: NO_PARAMETERS } as const;
const READS = { ...common, credential: 'platform_read' } as const;
const CHANGES = { ...common, credential: 'platform_admin' } as const;
const params = Type.Object({ workspaceId: WorkspaceParam });
const onePlan = Type.Object({ workspaceId: WorkspaceParam, planId: Type.String() });

/** Returns the endpoints of the data plan registry (D-109). */
export function dataPlanEndpoints(deps: DataPlanEndpointsDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps)];
}

function list({ store }: DataPlanEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    params,
    operationId: 'listDataPlans',
    summary: 'List data plans',
    responses: { 200: Type.Array(DataPlanAnswer) },
    async handler({ caller }) {
      return { status: 200, body: (await listDataPlans(store, caller.workspaceId)).map(planAnswer) };
    },
  });
}

function get({ store }: DataPlanEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:planId`,
    params: onePlan,
    operationId: 'getDataPlan',
    summary: 'Get a data plan',
    responses: { 200: DataPlanAnswer },
    async handler({ caller: { workspaceId }, params: { planId: id } }) {
      return { status: 200, body: planAnswer(await loadDataPlan(store, { workspaceId, id })) };
    },
  });
}

function create(deps: DataPlanEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: PATH,
    params,
    operationId: 'createDataPlan',
    summary: 'Create a data plan',
    description: 'Pipelines can then name it and its versions.',
    body: DataPlanBody,
    ignoredFields: DATA_PLAN_READ_ONLY,
    responses: { 200: DataPlanAnswer },
    refusals: { 409: 'Another data plan of this workspace already has that id.' },
    async handler({ caller, body }) {
      return { status: 200, body: planAnswer(await createDataPlan(deps, caller, body)) };
    },
  });
}

function replace(deps: DataPlanEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PUT',
    path: `${PATH}/:planId`,
    params: onePlan,
    operationId: 'replaceDataPlan',
    summary: 'Replace a data plan',
    description: 'Replaces name and versions. The status of a version can change while pipelines name it.',
    body: DataPlanBody,
    ignoredFields: DATA_PLAN_READ_ONLY,
    responses: { 200: DataPlanAnswer },
    refusals: { 409: 'A pipeline still names a version that would be removed.' },
    async handler({ caller, params: { planId: id }, body }) {
      return { status: 200, body: planAnswer(await replaceDataPlan(deps, caller, { id, body })) };
    },
  });
}

function remove(deps: DataPlanEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'DELETE',
    path: `${PATH}/:planId`,
    params: onePlan,
    operationId: 'deleteDataPlan',
    summary: 'Delete a data plan',
    description: 'Fails while a pipeline names the data plan.',
    responses: { 204: Type.Null({ description: 'Empty body.' }) },
    refusals: { 409: 'A pipeline still names the data plan.' },
    async handler({ caller, params: { planId } }) {
      await deleteDataPlan(deps, caller, planId);
      return { status: 204 };
    },
  });
}

function planAnswer({ id, name, versions, ...audit }: RegisteredPlan): DataPlanAnswer {
  return {
    id,
    name,
    versions: [...versions],
    created_on: audit.createdOn.toISOString(),
    created_by: audit.createdBy,
    last_modified_on: formatTime(audit.lastModifiedOn),
    last_modified_by: audit.lastModifiedBy,
  };
}
