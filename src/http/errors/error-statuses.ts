import type { ErrorCode } from '../../kernel/index.ts';
import type { ApiName } from '../contract.ts';

export interface ErrorAnswer {
  readonly status: number;
  /** The code word in the body: OAuth's `error` (RFC 6749), or the `code` of events, identity and analytics. */
  readonly word?: string;
  /** Hides the error's message, which describes Penstock's inside. */
  readonly hidden?: true;
  /** Seconds for Retry-After where the error names none. */
  readonly retryAfterSeconds?: number;
}

/**
 * Error words by status, for the APIs that send one word with each error.
 * The specification leaves all of them open; BAD_REQUEST is what clients expect (D-030).
 */
export const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/**
 * Returns the `domain` of a data subject request's error: `Validation` for bad input (D-054), else a word by status.
 */
export function subjectRequestDomain(status: number): string {
  return SUBJECT_REQUEST_DOMAINS[status] ?? (status < 500 ? 'Validation' : 'Service');
}

const SUBJECT_REQUEST_DOMAINS: Readonly<Record<number, string>> = {
  401: 'Authentication',
  403: 'Authorization',
  404: 'Request',
  405: 'Request',
  409: 'Request',
  410: 'Request',
  429: 'RateLimit',
};

/** Returns one answer for all APIs, where `oauth` is OAuth's word. A new API does not compile until it is listed here. */
function answer(status: number, oauth: string, rest: Omit<ErrorAnswer, 'status' | 'word'> = {}) {
  const word = STATUS_WORDS[status] ?? 'ERROR';
  return {
    platform_v1: { status, ...rest },
    platform_v2: { status, ...rest },
    operations: { status, ...rest },
    oauth: { status, word: oauth, ...rest },
    dsr: { status, ...rest },
    events: { status, word, ...rest },
    identity: { status, word, ...rest },
    analytics: { status, word, ...rest },
  } satisfies Record<ApiName, ErrorAnswer>;
}

/** Replaces the word of the identity API, which has some of its own (D-047). */
function withIdentityWord(answers: ReturnType<typeof answer>, word: string) {
  return { ...answers, identity: { ...answers.identity, word } };
}

/** Replaces the status of the data subject request API, whose answer to a duplicate id is 400 (D-054). */
function withSubjectRequests(answers: ReturnType<typeof answer>, status: number) {
  return { ...answers, dsr: { status } };
}

/** Replaces the status of version 1 of warehouse sync, which has some of its own (D-012). */
function withVersionOne(answers: ReturnType<typeof answer>, status: number) {
  return { ...answers, platform_v1: { status } };
}

const ours = answer(500, 'server_error', { hidden: true });
const refused = answer(400, 'invalid_request');
/** A conflict. Version 1 has no 409 and answers 400, because it creates no resource from a request that it cannot process. */
const conflict = withVersionOne(answer(409, 'invalid_request'), 400);
const later = (retryAfterSeconds: number) =>
  answer(503, 'temporarily_unavailable', { hidden: true, retryAfterSeconds });

/**
 * The status and word of each error code for each API (D-012, D-013).
 * A new code does not compile until each API has an entry for it.
 */
export const ERROR_STATUSES: Readonly<Record<ErrorCode, Readonly<Record<ApiName, ErrorAnswer>>>> = {
  VALIDATION_FAILED: refused,
  MALFORMED_BODY: refused,
  UNSUPPORTED_MEDIA_TYPE: answer(415, 'invalid_request'),
  BODY_TOO_LARGE: answer(413, 'invalid_request'),
  UNAUTHENTICATED: answer(401, 'invalid_client'),
  FORBIDDEN: answer(403, 'access_denied'),
  NOT_FOUND: withIdentityWord(answer(404, 'invalid_request'), 'NOT_FOUND_ERROR'),
  GONE: answer(410, 'invalid_request'),
  METHOD_NOT_ALLOWED: answer(405, 'invalid_request'),
  DUPLICATE_ID: withSubjectRequests(conflict, 400),
  // Only the groups API knows this status (D-071).
  UNPROCESSABLE: answer(422, 'invalid_request'),
  IN_USE: conflict,
  PIPELINE_NOT_IDLE: refused,
  RUN_IN_PROGRESS: conflict,
  REQUEST_IN_PROGRESS: conflict,
  RESET_PREVENTED: refused,
  IDENTITY_MISSING: withIdentityWord(refused, 'LOOKUP_ERROR'),
  IDENTITY_CONFLICT: withIdentityWord(refused, 'IDENTITY_CONFLICT'),
  // a grant type that is not offered is the only unsupported thing at the token endpoint
  NOT_SUPPORTED: answer(400, 'unsupported_grant_type'),
  SQL_REFUSED: refused,
  RATE_LIMITED: answer(429, 'temporarily_unavailable', { retryAfterSeconds: 1 }),
  // a call that asks the warehouse answers a transient failure as a gateway would; version 1 has 505 for it (D-076)
  WAREHOUSE_UNREACHABLE: withVersionOne(answer(502, 'server_error'), 505),
  WAREHOUSE_THROTTLED: answer(503, 'server_error', { retryAfterSeconds: 30 }),
  WAREHOUSE_SESSION_LOST: answer(502, 'server_error'),
  WAREHOUSE_TIMEOUT: answer(504, 'server_error'),
  // a fault that the caller can fix in a resource is a 400
  WAREHOUSE_CREDENTIALS: refused,
  WAREHOUSE_PERMISSION: refused,
  WAREHOUSE_OBJECT_MISSING: refused,
  WAREHOUSE_SQL_INVALID: refused,
  WAREHOUSE_DATA: refused,
  WAREHOUSE_CONFIG: refused,
  WAREHOUSE_UNKNOWN: answer(502, 'server_error'),
  CONNECTOR_MISSING: refused,
  MODEL_INVALID: refused,
  MODEL_CHANGED: answer(502, 'server_error'),
  FEED_INACTIVE: refused,
  NO_ROW_MAPPED: refused,
  CALL_REFUSED: refused,
  CALL_FAILED: answer(502, 'server_error'),
  STORE_UNAVAILABLE: later(5),
  STORE_CONFLICT: later(1),
  // a room translates these into its own errors; an untranslated one is a bug
  STORE_UNIQUE: ours,
  STORE_REFERENCE: ours,
  STORE_DATA: ours,
  STORE_NEWER: later(30),
  STORE_START: later(5),
  CONFIG_INVALID: ours,
  SECRET_UNREADABLE: answer(500, 'server_error'),
  LEASE_LOST: ours,
  // the caller closed the connection and reads nothing, or the daemon is shutting down
  CANCELLED: later(1),
  INTERNAL: ours,
};
