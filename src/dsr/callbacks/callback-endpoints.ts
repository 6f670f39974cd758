import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS, readPage, WorkspaceParam } from '../../http/index.ts';
import { AppError } from '../../kernel/index.ts';
import type { CallbackDeps } from './callback-deps.ts';
import { CallbackAnswer, CallbackPage, CallbackQuery } from './contract.ts';
import { type LoggedCallback, listCallbacks } from './list-callbacks.ts';
import { replayCallback } from './replay-callback.ts';

const PATH = '/platform/v2/workspaces/:workspaceId/dsr/callbacks';
const tag = 'Data subject requests';

/** Returns the endpoints that list callbacks with their attempts and replay one (extensions). */
export function callbackEndpoints(deps: CallbackDeps): readonly Endpoint[] {
  return [list(deps), replay(deps)];
}

function list({ store }: CallbackDeps): Endpoint {
  return defineEndpoint({
    api: 'platform_v2',
    method: 'GET',
    path: PATH,
    credential: 'platform_read',
    tag,
    operationId: 'listSubjectRequestCallbacks',
    summary: 'List callbacks',
    description: 'Callbacks of data subject requests with every delivery attempt, newest first.',
    params: Type.Object({ workspaceId: WorkspaceParam }),
    query: CallbackQuery,
    responses: { 200: CallbackPage },
    async handler({ caller, query }) {
      const only = { requestId: query.subject_request_id, state: query.state };
      const found = await listCallbacks(store, caller.workspaceId, { ...readPage(query), ...only });
      return { status: 200, body: { items: found.map(callbackAnswer) } };
    },
  });
}

function replay(deps: CallbackDeps): Endpoint {
  return defineEndpoint({
    api: 'platform_v2',
    method: 'POST',
    path: `${PATH}/:callbackId/replay`,
    credential: 'platform_admin',
    tag,
    operationId: 'replaySubjectRequestCallback',
    summary: 'Replay a callback',
    description: 'Sends the callback again now, with the same body, and returns the outcome.',
    params: Type.Object({ workspaceId: WorkspaceParam, callbackId: Type.String() }),
    query: NO_PARAMETERS,
    responses: { 200: CallbackAnswer },
    refusals: { 404: 'The workspace has no such callback.' },
    async handler({ caller: { workspaceId, actor }, params: { callbackId }, signal }) {
      const replayed = await replayCallback(deps, { workspaceId, id: readId(callbackId), actor }, signal);
      return { status: 200, body: callbackAnswer(replayed) };
    },
  });
}

function readId(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  throw new AppError('NOT_FOUND', 'The workspace has no such callback.');
}

/** Returns a callback in the form of the API and the command line. */
export function callbackAnswer(callback: LoggedCallback) {
  return {
    id: callback.id,
    subject_request_id: callback.requestId,
    request_status: callback.requestStatus,
    receiver: callback.receiver,
    state: callback.state,
    queued_on: callback.queuedOn.toISOString(),
    next_attempt_on: callback.nextAttemptOn?.toISOString() ?? null,
    delivered_on: callback.deliveredOn?.toISOString() ?? null,
    gave_up_on: callback.gaveUpOn?.toISOString() ?? null,
    is_replayable: callback.isReplayable,
    attempts: callback.attempts.map(({ attempt, startedOn, endedOn, status, error }) => ({
      attempt,
      started_on: startedOn.toISOString(),
      ended_on: endedOn?.toISOString() ?? null,
      http_status: status,
      error,
    })),
  };
}
