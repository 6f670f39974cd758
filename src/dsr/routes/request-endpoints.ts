import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS, readPage } from '../../http/index.ts';
import type { WorkspaceId } from '../../kernel/index.ts';
import { cancelRequest } from '../cancel-request.ts';
import { CancelAnswer, RequestAnswer, RequestListAnswer } from '../contract/answers.ts';
import { readForwarding } from '../forwarding/read-forwarding.ts';
import { loadGroup, loadRequest } from '../load-request.ts';
import type { Version } from '../read/draft.ts';
import type { RequestFacts } from '../request.ts';
import { cancelAnswer, requestAnswer } from '../wire/request-answer.ts';
import { type EndpointContext, endpointOf, requestsPath, suffixOf } from './dsr-endpoint.ts';

const RequestParams = Type.Object({ requestId: Type.String({ description: 'The subject_request_id.' }) });
const NOT_FOUND = { 404: 'The workspace has no such request.' };

/**
 * Returns the endpoint `GET /requests/{RequestID}`. It answers in the shape of its own version, whichever the request came in
 * with.
 */
export function getEndpoint(context: EndpointContext, version: Version): Endpoint {
  return defineEndpoint({
    ...endpointOf(context, version),
    method: 'GET',
    path: `${requestsPath(version)}/:requestId`,
    params: RequestParams,
    query: NO_PARAMETERS,
    operationId: `getSubjectRequest${suffixOf(version)}`,
    summary: 'Get a data subject request',
    responses: { 200: RequestAnswer },
    refusals: NOT_FOUND,
    async handler({ params: { requestId }, caller: { workspaceId } }) {
      const request = await loadRequest(context.store, workspaceId, requestId);
      const [body] = await answersOf(context, { workspaceId, requests: [request], version });
      return { status: 200, body };
    },
  });
}

// The specification has no pages. Without these parameters the answer is the whole group, as callers expect (D-054).
const GroupQuery = Type.Object({
  group_id: Type.String({ minLength: 1, description: 'The group whose requests are listed.' }),
  currentPage: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Counts from 1. Without page and page size, the whole group is returned.',
    }),
  ),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Defaults to 100 if only the page is given.' }),
  ),
});

/** Returns the endpoint `GET /requests?group_id=`. Only version 3 has groups. */
export function listEndpoint(context: EndpointContext): Endpoint {
  return defineEndpoint({
    ...endpointOf(context, 3),
    method: 'GET',
    path: requestsPath(3),
    params: NO_PARAMETERS,
    query: GroupQuery,
    operationId: 'listSubjectRequests',
    summary: 'List data subject requests of a group',
    responses: { 200: RequestListAnswer },
    async handler({ query: { group_id: groupId, ...paging }, caller: { workspaceId } }) {
      const isPaged = paging.currentPage !== undefined || paging.pageSize !== undefined;
      const page = isPaged ? readPage(paging) : undefined;
      const requests = await loadGroup(context.store, workspaceId, { groupId, page });
      return { status: 200, body: await answersOf(context, { workspaceId, requests, version: 3 }) };
    },
  });
}

/** Returns the endpoint `DELETE /requests/{RequestID}`. It answers 202 (D-054). */
export function cancelEndpoint(context: EndpointContext, version: Version): Endpoint {
  return defineEndpoint({
    ...endpointOf(context, version),
    method: 'DELETE',
    path: `${requestsPath(version)}/:requestId`,
    params: RequestParams,
    query: NO_PARAMETERS,
    operationId: `cancelSubjectRequest${suffixOf(version)}`,
    summary: 'Cancel a data subject request',
    description: 'The request must still be pending.',
    responses: { 202: CancelAnswer },
    refusals: NOT_FOUND,
    async handler({ params: { requestId: id }, caller: { workspaceId, actor } }) {
      const request = await cancelRequest(context, { workspaceId, actor, id });
      return { status: 202, body: cancelAnswer(request, version) };
    },
  });
}

interface Asked {
  readonly workspaceId: WorkspaceId;
  readonly requests: readonly RequestFacts[];
  readonly version: Version;
}

async function answersOf({ store, baseUrl }: EndpointContext, { workspaceId, requests, version }: Asked) {
  // Versions 1 and 2 show no detail of partners.
  const ids = version === 3 ? requests.map(({ id }) => id) : [];
  const forwardings = await readForwarding(store, { workspaceId, ids });
  return requests.map((request) =>
    requestAnswer(request, { version, baseUrl: baseUrl(), forwardings: forwardings.get(request.id) }),
  );
}
