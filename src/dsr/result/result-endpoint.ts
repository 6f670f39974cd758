import { Type } from 'typebox';
import { recordChange } from '../../access/index.ts';
import { defineEndpoint, type Endpoint, type EndpointSpec, NO_PARAMETERS } from '../../http/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { openResultFile } from './read-result-file.ts';

export interface ResultEndpointDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Rate limit and signature that all endpoints of data subject requests share. */
  readonly guards: Pick<
    EndpointSpec<typeof NO_PARAMETERS, typeof NO_PARAMETERS, typeof NO_PARAMETERS>,
    'admit' | 'sign'
  >;
}

/** Returns the path of a result file below the public address. `results_url` ends in it in every version. */
export const resultPath = (requestId: string): string => `/dsr/v3/requests/${requestId}/results`;

/** Returns the endpoint behind `results_url` (D-063). Each download is recorded in the audit log before it is sent. */
export function resultEndpoint({ store, clock, guards }: ResultEndpointDeps): Endpoint {
  return defineEndpoint({
    api: 'dsr',
    method: 'GET',
    path: resultPath(':requestId'),
    credential: 'input_dsr',
    tag: 'Data subject requests',
    ...guards,
    operationId: 'getSubjectRequestResults',
    summary: 'Download a result file',
    params: Type.Object({ requestId: Type.String() }),
    query: NO_PARAMETERS,
    responses: {},
    streams: {
      mediaType: 'application/zip',
      description:
        'Zip file of a completed access or portability request. It contains profile.jsonl with one profile per line and batches-NNNN.jsonl with one batch per line, or only empty.txt.',
    },
    refusals: {
      404: 'The request or its file does not exist.',
      410: 'The file was removed 7 days after the completion of the request, or by an erasure.',
    },
    async handler({ caller: { workspaceId, actor }, params: { requestId } }) {
      const file = await openResultFile({ store, clock }, { workspaceId, requestId });
      await store.transaction((tx) =>
        recordChange(tx, {
          workspaceId,
          actor,
          occurredOn: new Date(clock.nowMs()),
          action: 'subject_request.results_downloaded',
          // the path may hold capitals
          resource: `dsr_request/${requestId.toLowerCase()}`,
          detail: {},
        }),
      );
      return {
        status: 200,
        file: file.bytes,
        headers: {
          'content-type': 'application/zip',
          'content-length': String(file.sizeBytes),
          'content-disposition': `attachment; filename="${requestId}.zip"`,
          'cache-control': 'no-store',
        },
      };
    },
  });
}
