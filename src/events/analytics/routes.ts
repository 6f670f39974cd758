import { Type } from 'typebox';
import { type Caller, defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { AppError, type Json, refuse, stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { BatchSender } from '../accept/accept-batches.ts';
import type { RecordRejections } from '../log/rejected-batches.ts';
import { acceptCalls, type CallsDeps, type Refusal } from './accept-calls.ts';
import { CallBatch, readCallBatch, readRepeatingBatch } from './call-batch.ts';
import { CALL_TYPES, CALLS, type CallType } from './call-contract.ts';

export interface AnalyticsDeps extends CallsDeps {
  readonly recordRejections: RecordRejections;
}

/** SDKs send up to 500 KB at once, more than the requests of other paths may have. */
const REQUEST_BYTES = 512 * 1024;

const PREFIX = '/analytics';

/** Returns the endpoints that take the calls of analytics SDKs (D-039). */
export function analyticsEndpoints(deps: AnalyticsDeps): readonly Endpoint[] {
  return [batchEndpoint(deps), ...CALL_TYPES.map((type) => callEndpoint(deps, type))];
}

function shared({ settingsOf }: CallsDeps) {
  return {
    api: 'analytics',
    method: 'POST',
    tag: 'Analytics',
    credential: 'input_analytics',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    bodyCheck: 'handler',
    // RudderStack's Node SDK sends compressed JSON as a form, browsers send text/plain so that they need not ask first
    anyMediaType: true,
    bodyLimitBytes: async (workspaceId: WorkspaceId) =>
      Math.max(REQUEST_BYTES, (await settingsOf(workspaceId)).limits.requestBytes),
    responses: { 200: Type.Object({ success: Type.Literal(true) }, { additionalProperties: false }) },
    refusals: {
      429: 'The workspace sends more calls per second than its settings allow, or too many calls are waiting to be stored; Retry-After gives the seconds to wait.',
    },
  } as const;
}

const SUCCESS = { status: 200, body: { success: true } };

function batchEndpoint(deps: AnalyticsDeps): Endpoint {
  const path = `${PREFIX}/v1/batch`;
  return defineEndpoint({
    ...shared(deps),
    bodyCheck: 'items',
    path,
    aliases: ['/v1/batch'],
    operationId: 'sendAnalyticsBatch',
    summary: 'Upload analytics calls',
    description: 'Valid calls are kept; the others are recorded as rejected.',
    body: CallBatch,
    async handler({ body, bodyText, hasRepeatedField, caller }) {
      const sender = senderOf(caller);
      const { calls, sentAt } = hasRepeatedField ? readRepeatingBatch(body, bodyText) : readCallBatch(body);
      const { workspaceId, key } = sender;
      await acceptCalls(deps, {
        sender,
        calls,
        sentAt,
        record: (refusals) =>
          deps.recordRejections({
            workspaceId,
            key,
            path,
            rejections: [...refusals].map(([index, refusal]) => ({
              text: textOf(calls[index]?.fields),
              issues: withinBatch(refusal, index),
            })),
          }),
      });
      return SUCCESS;
    },
  });
}

/** Returns the JSON text of a call; `null` for a call nested so deeply that it can be parsed but not written. */
function textOf(fields: Json | undefined): string {
  try {
    return stringifyJson(fields);
  } catch (error) {
    if (error instanceof RangeError) return 'null';
    throw error;
  }
}

function withinBatch(refusal: Refusal, index: number): Refusal {
  return refusal.map(({ path, message }) => ({
    path: `batch[${index}]${path === '' || path.startsWith('[') ? '' : '.'}${path}`,
    message,
  }));
}

function callEndpoint(deps: AnalyticsDeps, type: CallType): Endpoint {
  return defineEndpoint({
    ...shared(deps),
    path: `${PREFIX}/v1/${type}`,
    // at the root that path belongs to the identity API
    aliases: type === 'identify' ? [] : [`/v1/${type}`],
    operationId: `sendAnalytics${type.charAt(0).toUpperCase()}${type.slice(1)}`,
    summary: `Upload one analytics ${type} call`,
    description: 'Answers after the call is stored durably.',
    body: CALLS[type],
    async handler({ body, caller }) {
      const [refusal = []] = await acceptCalls(deps, {
        sender: senderOf(caller),
        calls: [{ fields: body, type }],
        sentAt: undefined,
      });
      if (refusal.length > 0) throw refuse(refusal);
      return SUCCESS;
    },
  });
}

function senderOf({ workspaceId, input }: Caller): BatchSender {
  if (input === undefined) throw new AppError('INTERNAL', 'An analytics call arrived without the key of an input.');
  const isPublic = input.means === 'key_only';
  return { workspaceId, key: input.key, isPublic, channel: 'server_to_server', isHistorical: false };
}
