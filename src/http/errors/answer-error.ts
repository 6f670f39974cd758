import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, asAppError, framesOf, type Log, stringifyJson } from '../../kernel/index.ts';
import type { Endpoint } from '../contract.ts';
import { pathOf } from '../operations/access-log.ts';
import { apiOfPath, unknownPaths } from '../server/unknown-path.ts';
import { errorAnswer, fromFastify } from './error-answer.ts';

/** Answers thrown errors, unknown paths and unknown methods in the error body of the API that was called. */
export function answerErrors(app: FastifyInstance, log: Log, endpoints: readonly Endpoint[]): void {
  const unknown = unknownPaths(endpoints);
  app.setNotFoundHandler((request, reply) => {
    const { error, allow } = unknown(request.method, pathOf(request.url));
    if (allow !== undefined) reply.header('allow', allow);
    return answerError(error, request, reply);
  });
  app.setErrorHandler(async (thrown, request, reply) => {
    const error = fromFastify(thrown);
    logError(log, error, request);
    if (request.sign === undefined) return answerError(error, request, reply);
    return answerSigned(error, request, reply).catch((failure: unknown) => {
      logError(log, asAppError(failure), request);
      return answerError(error, request, reply);
    });
  });
}

/** Answers a refusal with the signature that its API adds to every answer. */
async function answerSigned(error: AppError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { text } = wireText(error, request);
  reply.headers((await request.sign?.(text)) ?? {});
  return answerError(error, request, reply);
}

export function answerError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, text } = wireText(error, request);
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': 'application/json; charset=utf-8' })
    .send(text);
}

function wireText(error: AppError, request: FastifyRequest) {
  const { body, ...rest } = errorAnswer(error, {
    api: request.routeOptions.config?.api ?? apiOfPath(pathOf(request.url)),
    requestId: request.id,
    authorization: request.headers.authorization,
  });
  return { ...rest, text: stringifyJson(body) };
}

/**
 * Logs our own errors with their stack, under the id that the caller was told.
 * Only the frames of refusals are logged, because the message may quote the request.
 */
function logError(log: Log, error: AppError, request: FastifyRequest): void {
  const line = { request_id: request.id, code: error.code };
  const isOurs = error.disposition === 'bug' || error.code.startsWith('STORE_');
  if (isOurs) log.error({ ...line, err: error }, 'http.failed');
  else log.debug({ ...line, frames: framesOf(error) }, 'http.refused');
}
