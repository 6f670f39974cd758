import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, PageQuery, readPage, WorkspaceParam } from '../../http/index.ts';
import { formatTime, parseJson } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { RejectedBatchesPage } from '../contract/rejected-batch.ts';
import { listRejected, type RejectedBatch } from '../log/rejected-batches.ts';

/** Returns the endpoint that lists rejected batches of bulk requests. */
export function listRejectedBatches({ store }: { readonly store: Sql }): Endpoint {
  return defineEndpoint({
    api: 'platform_v2',
    method: 'GET',
    path: '/platform/v2/workspaces/:workspaceId/rejected-batches',
    credential: 'platform_read',
    operationId: 'listRejectedBatches',
    summary: 'List rejected batches',
    description: 'Refused batches of bulk requests with the reasons, newest first.',
    tag: 'Events',
    params: Type.Object({ workspaceId: WorkspaceParam }),
    query: PageQuery,
    responses: { 200: RejectedBatchesPage },
    async handler({ caller, query }) {
      const rows = await listRejected(store, caller.workspaceId, readPage(query));
      return { status: 200, body: { items: rows.map(rejectedBatch) } };
    },
  });
}

function rejectedBatch({ id, receivedOn, key, path, errors, text }: RejectedBatch) {
  return {
    id,
    received_on: formatTime(receivedOn),
    key,
    path,
    errors: parseJson(errors),
    batch: text === null ? null : parseJson(text),
  };
}
