import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, PageQuery, readPage } from '../../http/index.ts';
import { BASE, loadPipeline, loadRun, pathParams, READS } from '../../pipelines/index.ts';
import { type WriteBackConflictAnswer, WriteBackConflictsAnswer } from '../contract/write-back-conflicts.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { type ListedConflict, listWriteBackConflicts } from '../write-back/list-write-back-conflicts.ts';

type Answer = Static<typeof WriteBackConflictAnswer>;

/** Defines the endpoint that lists conflicts of runs that write MPIDs back, beside `failed-records`. */
export function conflictEndpoint({ store }: EndpointDeps): Endpoint {
  const path = `${BASE}/inputs/data-pipelines/:pipelineId/runs/:runId/write-back-conflicts`;
  const params = pathParams({ pipelineId: Type.String(), runId: Int64() });
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path,
    tag: 'Runs',
    params,
    query: PageQuery,
    operationId: 'listWriteBackConflicts',
    summary: 'List write-back conflicts',
    description: 'Rows of the table that a write-back left unchanged, newest first; at most 1,000 per run.',
    responses: { 200: WriteBackConflictsAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id, runId }, query }) {
      const { pipeline } = await loadPipeline(store, { workspaceId, id });
      const run = await loadRun(store, pipeline, BigInt(runId));
      const conflicts = await listWriteBackConflicts(store, run, readPage(query));
      return { status: 200, body: { items: conflicts.map(conflictAnswer) } };
    },
  });
}

function conflictAnswer({ foundMpid, foundOn, ...conflict }: ListedConflict): Answer {
  return {
    ...conflict,
    found_mpid: foundMpid,
    found_on: foundOn.toISOString(),
  };
}
