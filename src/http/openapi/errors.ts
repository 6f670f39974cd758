import { Type } from 'typebox';
import type { JsonSchema } from '../../kernel/index.ts';
import type { ApiName, CredentialRule, Endpoint } from '../contract.ts';
import { STATUS_WORDS, subjectRequestDomain } from '../errors/error-statuses.ts';
import { refusesUnknownParameters } from '../validation/validate-request.ts';

const closed = { additionalProperties: false } as const;

// named, because one body has this list twice: a client generator then makes one class of it, not two with the same name
const CODED = Type.Array(
  Type.Object({ code: Type.String(), message: Type.String() }, { title: 'CodedProblem', ...closed }),
  { description: 'One entry for each problem.' },
);

const PLATFORM = Type.Object(
  {
    statusCode: Type.Integer(),
    errors: Type.Array(Type.Object({ message: Type.String() }, closed), { description: 'One entry for each problem.' }),
  },
  { title: 'PlatformError', ...closed },
);

/** The error body of each API as OpenAPI shows it; `error-answer.ts` writes these bodies. */
export const ERROR_SCHEMAS: Readonly<Record<ApiName, JsonSchema>> = {
  platform_v1: PLATFORM,
  platform_v2: PLATFORM,
  oauth: Type.Object(
    { error: Type.String({ description: 'Error code of RFC 6749.' }), error_description: Type.String() },
    { title: 'OAuthError', ...closed },
  ),
  dsr: Type.Object(
    {
      code: Type.Integer({ description: 'The HTTP status.' }),
      message: Type.String(),
      errors: Type.Array(
        Type.Object({ domain: Type.String(), reason: Type.String(), message: Type.String() }, closed),
        {
          description: 'One entry for each problem.',
        },
      ),
    },
    { title: 'SubjectRequestError', ...closed },
  ),
  operations: Type.Object(
    { code: Type.String(), message: Type.String(), request_id: Type.String() },
    { title: 'OperationsError', ...closed },
  ),
  events: Type.Object({ errors: CODED }, { title: 'EventsError', ...closed }),
  identity: Type.Object(
    { errors: CODED, Errors: CODED, ErrorCode: Type.String(), StatusCode: Type.Integer(), RequestId: Type.String() },
    { title: 'IdentityError', ...closed },
  ),
  analytics: Type.Object(
    { success: Type.Literal(false), code: Type.String(), message: Type.String() },
    { title: 'AnalyticsError', ...closed },
  ),
};

const MEANINGS = {
  400: 'A parameter or the body is invalid; the message names the field.',
  401: 'Credentials are missing, wrong or expired.',
  403: 'The credentials are valid but do not allow this.',
  404: 'This workspace has no resource with that id.',
  413: 'The decompressed body is too large.',
  415: 'The Content-Type or Content-Encoding is not supported.',
  429: 'Too many requests, or too many with wrong credentials; Retry-After gives the seconds to wait.',
} as const;

/** Returns a refusal with that status as a caller would see it. */
export function errorExample(api: ApiName, status: number, message: string): unknown {
  return ERROR_EXAMPLES[api](status, message);
}

const ERROR_EXAMPLES: Readonly<Record<ApiName, (status: number, message: string) => unknown>> = {
  platform_v1: platformExample,
  platform_v2: platformExample,
  oauth: (status, message) => ({
    error: OAUTH_WORDS[status] ?? 'invalid_request',
    error_description: message,
  }),
  operations: (_status, message) => ({ code: 'NOT_FOUND', message, request_id: '…' }),
  dsr: (code, message) => ({
    code,
    message,
    errors: [{ domain: subjectRequestDomain(code), reason: STATUS_WORDS[code] ?? 'ERROR', message }],
  }),
  events: (status, message) => ({ errors: [coded(status, message)] }),
  identity: (status, message) => ({
    errors: [coded(status, message)],
    Errors: [coded(status, message)],
    ErrorCode: STATUS_WORDS[status],
    StatusCode: status,
    RequestId: '…',
  }),
  analytics: (status, message) => ({ success: false, ...coded(status, message) }),
};

function platformExample(statusCode: number, message: string) {
  return { statusCode, errors: [{ message }] };
}

const coded = (status: number, message: string) => ({ code: STATUS_WORDS[status], message });

const OAUTH_WORDS: Readonly<Record<number, string>> = { 401: 'invalid_client', 429: 'temporarily_unavailable' };

/** Statuses of a call whose credentials are missing, wrong or insufficient. */
const CREDENTIAL_ERRORS = {
  none: [],
  platform_read: [401, 403, 404],
  platform_admin: [401, 403, 404],
  input_events: [401, 403, 429],
  input_web_events: [403, 429],
  input_identity: [401, 403, 429],
  input_analytics: [401, 403, 429],
  input_dsr: [401, 403, 429],
} as const satisfies Record<CredentialRule, readonly (keyof typeof MEANINGS)[]>;

/** Returns the refusals that follow from what an endpoint asks for, and those that it names itself. */
export function expectedErrors(endpoint: Endpoint): readonly (readonly [number, string])[] {
  const { credential, body, params, query, refusals = {} } = endpoint;
  const takesParameters = Object.keys({ ...params.properties, ...query.properties }).length > 0;
  const isChecked = body !== undefined || takesParameters || refusesUnknownParameters(endpoint);
  const statuses: readonly (keyof typeof MEANINGS)[] = [
    ...(isChecked ? [400 as const] : []),
    ...CREDENTIAL_ERRORS[credential],
    ...(body === undefined ? [] : ([413, 415] as const)),
  ];
  const own = Object.entries(refusals).map(([status, meaning]) => [Number(status), meaning] as const);
  return [...statuses.map((status) => [status, MEANINGS[status]] as const), ...own];
}
