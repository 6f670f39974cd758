import { AppError, asAppError, ERROR_CODES, errorCode } from '../../kernel/index.ts';
import type { ApiName } from '../contract.ts';
import { ERROR_STATUSES, type ErrorAnswer, subjectRequestDomain } from './error-statuses.ts';

export interface WireError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface ErrorContext {
  readonly api: ApiName;
  readonly requestId: string;
  readonly authorization: string | undefined;
}

/** Returns an error as the caller sees it: status, headers and the body of the API that was called. */
export function errorAnswer(error: AppError, context: ErrorContext): WireError {
  const answer = ERROR_STATUSES[error.code][context.api];
  const messages = visibleMessages(error, answer, context.requestId);
  return {
    status: answer.status,
    headers: { ...challenge(answer, context), ...retryAfter(error, answer) },
    body: BODIES[context.api]({ error, answer, messages, requestId: context.requestId }),
  };
}

interface BodyParts {
  readonly error: AppError;
  readonly answer: ErrorAnswer;
  readonly messages: readonly string[];
  readonly requestId: string;
}

/**
 * The error body of each API. `operations` has our own, `{code, message, request_id}`. So has `analytics`, modelled on the
 * success answer that its clients know.
 */
const BODIES: Readonly<Record<ApiName, (parts: BodyParts) => unknown>> = {
  platform_v1: platformBody,
  platform_v2: platformBody,
  oauth: ({ answer, messages }) => ({ error: answer.word, error_description: messages.join('; ') }),
  dsr: subjectRequestBody,
  operations: ({ error, messages, requestId }) => ({
    code: error.code,
    message: messages.join('; '),
    request_id: requestId,
  }),
  events: (parts) => ({ errors: codedMessages(parts) }),
  identity: (parts) => ({
    errors: codedMessages(parts),
    // the web SDK reads the errors under this name
    Errors: codedMessages(parts),
    ErrorCode: parts.answer.word,
    StatusCode: parts.answer.status,
    RequestId: parts.requestId,
  }),
  analytics: ({ answer, messages }) => ({ success: false, code: answer.word, message: messages.join('; ') }),
};

/** Returns the error body of the platform API, which both versions share. */
function platformBody({ answer, messages }: BodyParts) {
  return { statusCode: answer.status, errors: messages.map((message) => ({ message })) };
}

/** Returns the error body of the data subject request API: flat (D-054), with one entry for each problem. */
function subjectRequestBody({ error, answer, messages }: BodyParts) {
  const { status } = answer;
  const domain = subjectRequestDomain(status);
  return {
    code: status,
    message: messages.join('; '),
    errors: messages.map((message) => ({ domain, reason: error.code, message })),
  };
}

/** Returns the error body of the events API, with one entry for each problem. */
function codedMessages({ answer, messages }: BodyParts) {
  return messages.map((message) => ({ code: answer.word, message }));
}

function visibleMessages(error: AppError, answer: ErrorAnswer, requestId: string): readonly string[] {
  if (answer.hidden === true) return [hiddenMessage(error, answer, requestId)];
  if (error.issues.length === 0) return [error.message];
  return error.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
}

function hiddenMessage(error: AppError, answer: ErrorAnswer, requestId: string): string {
  if (answer.status !== 500) return `${ERROR_CODES[error.code].meaning} Try again later (request ${requestId}).`;
  return `Penstock failed to process this request because of a bug. Search its log for request ${requestId}, and report the entry.`;
}

const BASIC_APIS: ReadonlySet<ApiName> = new Set<ApiName>(['oauth', 'events', 'analytics', 'dsr']);

function challenge(answer: ErrorAnswer, { api, authorization }: ErrorContext): Record<string, string> {
  // browsers call the identity API, and a browser that gets a challenge asks its user for a password
  if (answer.status !== 401 || api === 'identity') return {};
  if (BASIC_APIS.has(api)) return { 'www-authenticate': 'Basic realm="penstock"' };
  // RFC 6750: the error word is added only where a token was sent
  const word = authorization === undefined ? '' : ', error="invalid_token"';
  return { 'www-authenticate': `Bearer realm="penstock"${word}` };
}

function retryAfter(error: AppError, answer: ErrorAnswer): Record<string, string> {
  if (answer.retryAfterSeconds === undefined) return {};
  return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? answer.retryAfterSeconds))) };
}

/** Translates Fastify's own refusals; any other error that is unknown here is a bug. */
export function fromFastify(thrown: unknown): AppError {
  const code = errorCode(thrown);
  if (code === 'FST_ERR_BAD_URL') {
    return new AppError(
      'VALIDATION_FAILED',
      'The path contains a percent sign without a valid UTF-8 escape; write it as %25.',
    );
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new AppError('NOT_FOUND', 'The id in the path is longer than any id; check the path.');
  }
  return asAppError(thrown);
}
