import { Type } from 'typebox';
import {
  defineEndpoint,
  type Endpoint,
  Int64,
  NO_PARAMETERS,
  PageQuery,
  readPage,
  WorkspaceParam,
} from '../../http/index.ts';
import { GroupRunAnswer, GroupRunsAnswer, groupRunAnswer } from '../contract/run.ts';
import type { GroupsDeps } from '../groups-deps.ts';
import { listGroupRuns, loadGroupRun } from '../load-runs.ts';

const PATH = '/platform/v2/workspaces/:workspaceId/group-runs';
const READS = { api: 'platform_v2', method: 'GET', credential: 'platform_read', tag: 'Groups' } as const;

/** Returns the endpoints of run reports: an extension, with the other extensions under the base of warehouse sync v2. */
export function groupRunEndpoints(deps: GroupsDeps): readonly Endpoint[] {
  return [list(deps), get(deps)];
}

function list({ store }: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    path: PATH,
    params: Type.Object({ workspaceId: WorkspaceParam }),
    query: PageQuery,
    operationId: 'listGroupRuns',
    summary: 'List group runs',
    description: 'Ordered by the time of their request, newest first.',
    responses: { 200: GroupRunsAnswer },
    async handler({ caller, query }) {
      const runs = await listGroupRuns(store, caller.workspaceId, readPage(query));
      return { status: 200, body: { items: runs.map(groupRunAnswer) } };
    },
  });
}

function get({ store }: GroupsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    path: `${PATH}/:runId`,
    query: NO_PARAMETERS,
    params: Type.Object({ workspaceId: WorkspaceParam, runId: Int64() }),
    operationId: 'getGroupRun',
    summary: 'Get a group run',
    responses: { 200: GroupRunAnswer },
    async handler({ caller: { workspaceId }, params: { runId } }) {
      return { status: 200, body: groupRunAnswer(await loadGroupRun(store, { workspaceId, id: BigInt(runId) })) };
    },
  });
}
