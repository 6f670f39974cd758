// Errors by class: BigQuery's reasons, statuses of HTTP and gRPC, and errors of sign-in.
import { AppError, type ErrorCode, joined, say, template } from '../../src/kernel/index.ts';
import { classifier } from '../_shared/classifier.ts';
import { fieldOf } from '../_shared/field-of.ts';
import { sentence } from '../_shared/sentence.ts';
import { type SocketWords, socketFaultOf } from '../_shared/socket-errors.ts';

export interface Rule {
  /** BigQuery's reason, or the name of gRPC's status. */
  readonly reason?: string;
  readonly status?: number;
  /** Pattern that the message must match, alone or besides the other conditions. */
  readonly holds?: RegExp;
  readonly code: ErrorCode;
  readonly advice?: string;
}

const KEY_ADVICE =
  'Check {config.service_account_id} and {config.service_account_key}, or the sign-in that replaces them.';
const EXCHANGE_ADVICE = 'Check {config.workload_identity} and the pool that it names.';
const DAEMON_ADVICE =
  'Ask the operator to set GOOGLE_APPLICATION_CREDENTIALS, or to run Penstock as a service account of Google Cloud.';
const CREATOR_ADVICE =
  'Grant the signed-in identity Service Account Token Creator (roles/iam.serviceAccountTokenCreator) on ' +
  '{config.impersonate_service_account}.';
const PARTITION_ADVICE =
  'Filter the partitions in the model, or make the partition column the iterator of an incremental pipeline.';
const PLACE_ADVICE = 'Check the name, and {config.region}, which must be the location of the dataset.';
const PERIMETER_ADVICE =
  'Ask the administrators of the organization to let the network or account of Penstock into the perimeter.';
const DRIVE_ADVICE =
  'The table reads a file in Google Drive: set {config.drive_access} to true, and share the file with the account.';
const STREAMED = 'Streamed rows cannot be changed for up to 90 minutes; try again later.';
const LIMIT_ADVICE =
  'Filter or select less in the model, or raise {config.maximum_bytes_billed}, which limits what a query may bill.';

const SOCKET_WORDS: SocketWords = { certificate: { code: 'WAREHOUSE_UNREACHABLE' } };

/**
 * Rules in order; the first match decides.
 * A query that fails at run time has the reason of an invalid query, but its text names no place.
 */
export const RULES: readonly Rule[] = [
  { holds: /would affect rows in the streaming buffer/, code: 'WAREHOUSE_THROTTLED', advice: STREAMED },
  // a lost race for the table, whatever reason it has
  {
    holds: /^(?:Query error: )?(?:Could not serialize access to .*|Transaction is aborted) due to concurrent update/,
    code: 'WAREHOUSE_SESSION_LOST',
  },
  // sign-in by the library, whose errors repeat the answer of Google's token servers; the SDK writes its own words before them
  {
    holds: /^(?:Could not refresh access token: )?(?:PERMISSION_DENIED|NOT_FOUND): unable to impersonate: /,
    code: 'WAREHOUSE_PERMISSION',
    advice: CREATOR_ADVICE,
  },
  {
    holds: /^(?:Could not refresh access token: )?Could not load the default credentials/,
    code: 'WAREHOUSE_CREDENTIALS',
    advice: DAEMON_ADVICE,
  },
  {
    holds: /^(?:Could not refresh access token: )?Error code (?:invalid_\w+|unauthorized_client|access_denied)\b/,
    code: 'WAREHOUSE_CREDENTIALS',
    advice: EXCHANGE_ADVICE,
  },
  { holds: /Permission denied while getting Drive credentials/, code: 'WAREHOUSE_PERMISSION', advice: DRIVE_ADVICE },
  { reason: 'accessDenied', code: 'WAREHOUSE_PERMISSION' },
  { reason: 'billingNotEnabled', code: 'WAREHOUSE_PERMISSION', advice: 'Enable billing for the project.' },
  { reason: 'accessNotConfigured', code: 'WAREHOUSE_PERMISSION', advice: 'Enable the BigQuery API for the project.' },
  { reason: 'policyViolation', code: 'WAREHOUSE_PERMISSION', advice: PERIMETER_ADVICE },
  { reason: 'insufficientPermissions', code: 'WAREHOUSE_PERMISSION' },
  { reason: 'forbidden', code: 'WAREHOUSE_PERMISSION' },
  { reason: 'invalidUser', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { reason: 'authError', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { reason: 'required', status: 401, code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { reason: 'notFound', holds: /^Not found: Job\b/, code: 'WAREHOUSE_SESSION_LOST' },
  { reason: 'notFound', holds: /Project/, code: 'WAREHOUSE_OBJECT_MISSING', advice: 'Check {config.project_id}.' },
  { reason: 'notFound', holds: / was not found in location /, code: 'WAREHOUSE_OBJECT_MISSING', advice: PLACE_ADVICE },
  { reason: 'notFound', code: 'WAREHOUSE_OBJECT_MISSING' },
  { reason: 'bytesBilledLimitExceeded', code: 'WAREHOUSE_DATA', advice: LIMIT_ADVICE },
  { reason: 'billingTierLimitExceeded', code: 'WAREHOUSE_DATA' },
  {
    reason: 'responseTooLarge',
    code: 'WAREHOUSE_DATA',
    advice: 'The result of the model exceeds the limit of BigQuery; select less.',
  },
  {
    reason: 'resourcesExceeded',
    code: 'WAREHOUSE_DATA',
    advice: 'The model exceeds the resources that BigQuery allows for a query; simplify it.',
  },
  { reason: 'rateLimitExceeded', code: 'WAREHOUSE_THROTTLED' },
  { reason: 'userRateLimitExceeded', code: 'WAREHOUSE_THROTTLED' },
  { reason: 'jobRateLimitExceeded', code: 'WAREHOUSE_THROTTLED' },
  { reason: 'quotaExceeded', code: 'WAREHOUSE_THROTTLED', advice: 'A quota of the project is used up.' },
  { reason: 'resourceInUse', code: 'WAREHOUSE_THROTTLED' },
  { reason: 'blocked', code: 'WAREHOUSE_THROTTLED' },
  { reason: 'backendError', code: 'WAREHOUSE_UNREACHABLE' },
  { reason: 'jobBackendError', code: 'WAREHOUSE_UNREACHABLE' },
  { reason: 'internalError', code: 'WAREHOUSE_UNREACHABLE' },
  { reason: 'jobInternalError', code: 'WAREHOUSE_UNREACHABLE' },
  { reason: 'tableUnavailable', code: 'WAREHOUSE_UNREACHABLE' },
  { reason: 'timeout', code: 'WAREHOUSE_TIMEOUT' },
  { reason: 'stopped', holds: /timed? ?out/i, code: 'WAREHOUSE_TIMEOUT' },
  { reason: 'stopped', code: 'WAREHOUSE_SESSION_LOST', advice: 'The job was cancelled in BigQuery.' },
  { reason: 'duplicate', code: 'WAREHOUSE_SESSION_LOST' },
  { reason: 'notImplemented', code: 'WAREHOUSE_SQL_INVALID' },
  {
    reason: 'invalidQuery',
    holds: /^(?:Query error: )?Name .* not found inside|Unrecognized name/,
    code: 'WAREHOUSE_OBJECT_MISSING',
  },
  {
    reason: 'invalidQuery',
    holds: /^Cannot query over table /,
    code: 'WAREHOUSE_SQL_INVALID',
    advice: PARTITION_ADVICE,
  },
  {
    reason: 'invalidQuery',
    holds: /at \[\d+:\d+\]\.?$|Query parameter/,
    code: 'WAREHOUSE_SQL_INVALID',
  },
  { reason: 'invalidQuery', holds: /Duplicate column name/, code: 'MODEL_INVALID' },
  { reason: 'invalidQuery', code: 'WAREHOUSE_DATA' },
  { reason: 'invalid', holds: /location|region/i, code: 'WAREHOUSE_CONFIG', advice: 'Check {config.region}.' },
  { reason: 'invalid', code: 'WAREHOUSE_SQL_INVALID' },
  { reason: 'badRequest', code: 'WAREHOUSE_SQL_INVALID' },
  // errors of sign-in, and of a key that does not parse
  { holds: /invalid_grant|invalid_client|unauthorized_client/, code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  {
    holds: /DECODER routines|asn1|PEM routines|secretOrPrivateKey/i,
    code: 'WAREHOUSE_CREDENTIALS',
    advice: KEY_ADVICE,
  },
  // gRPC
  { reason: 'PERMISSION_DENIED', code: 'WAREHOUSE_PERMISSION' },
  { reason: 'UNAUTHENTICATED', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  {
    reason: 'NOT_FOUND',
    code: 'WAREHOUSE_SESSION_LOST',
    advice: 'BigQuery keeps the result of a query for one day only.',
  },
  { reason: 'RESOURCE_EXHAUSTED', code: 'WAREHOUSE_THROTTLED' },
  { reason: 'DEADLINE_EXCEEDED', code: 'WAREHOUSE_TIMEOUT' },
  { reason: 'UNAVAILABLE', code: 'WAREHOUSE_SESSION_LOST' },
  { reason: 'ABORTED', code: 'WAREHOUSE_SESSION_LOST' },
  { reason: 'CANCELLED', code: 'WAREHOUSE_SESSION_LOST' },
  { reason: 'INTERNAL', code: 'WAREHOUSE_SESSION_LOST' },
  { reason: 'DATA_LOSS', code: 'WAREHOUSE_SESSION_LOST' },
  { holds: / JSON at position |JSON input|is not valid JSON/, code: 'WAREHOUSE_SESSION_LOST' },
  { holds: /Premature close|socket hang up/i, code: 'WAREHOUSE_SESSION_LOST' },
  { holds: /certificate/i, code: 'WAREHOUSE_UNREACHABLE' },
  // other servers on the way: a proxy, a balancer
  { status: 401, code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { status: 403, code: 'WAREHOUSE_PERMISSION' },
  { status: 404, code: 'WAREHOUSE_OBJECT_MISSING' },
  { status: 408, code: 'WAREHOUSE_TIMEOUT' },
  { status: 409, code: 'WAREHOUSE_SESSION_LOST' },
  { status: 429, code: 'WAREHOUSE_THROTTLED' },
  { status: 500, code: 'WAREHOUSE_UNREACHABLE' },
  { status: 502, code: 'WAREHOUSE_UNREACHABLE' },
  { status: 503, code: 'WAREHOUSE_UNREACHABLE' },
  { status: 504, code: 'WAREHOUSE_UNREACHABLE' },
];

/** Codes that `createAgents` fails with. */
const ERROR_CODES_OF_SOCKETS = ['WAREHOUSE_CONFIG', 'WAREHOUSE_CREDENTIALS', 'WAREHOUSE_UNREACHABLE'] as const;

/**
 * Returns the class of an error. Never throws; an error that no rule matches is WAREHOUSE_UNKNOWN with its cause. BigQuery's
 * messages repeat no key.
 */
export const classify = classifier((error) => {
  const parts = partsOf(error);
  const ours = oursIn(error, parts);
  if (ours !== undefined) return ours;
  const rule = socketFaultOf(parts.reason, SOCKET_WORDS) ?? RULES.find((candidate) => fits(candidate, parts));
  const tag = parts.reason === '' ? '' : ` (${parts.reason})`;
  const said = [
    sentence(`${parts.text}${tag}`),
    rule?.advice === undefined ? undefined : template(rule.advice),
    roleFor(rule, parts.text),
  ];
  const message = say`BigQuery: ${joined(said)}`;
  return new AppError(rule?.code ?? 'WAREHOUSE_UNKNOWN', message, { cause: error });
});

/** Returns our own error of a socket: the SDK's fetch keeps its code, and its words behind words of its own. */
function oursIn(cause: unknown, { reason, text }: Parts): AppError | undefined {
  const code = ERROR_CODES_OF_SOCKETS.find((own) => own === reason);
  return code && new AppError(code, text.replace(/^.{0,500}? failed, reason: /s, ''), { cause });
}

/** Returns BigQuery's reason, or the code in its place. */
export function reasonOf(error: unknown): string {
  return partsOf(error).reason;
}

function fits({ reason, status, holds }: Rule, found: Parts): boolean {
  return (
    (reason === undefined || found.reason === reason) &&
    (status === undefined || found.status === status) &&
    (holds === undefined || holds.test(found.text))
  );
}

interface Parts {
  readonly reason: string;
  readonly status: number | undefined;
  readonly text: string;
}

const GRPC_STATUS: Readonly<Record<number, string>> = {
  1: 'CANCELLED',
  3: 'INVALID_ARGUMENT',
  4: 'DEADLINE_EXCEEDED',
  5: 'NOT_FOUND',
  7: 'PERMISSION_DENIED',
  8: 'RESOURCE_EXHAUSTED',
  9: 'FAILED_PRECONDITION',
  10: 'ABORTED',
  12: 'UNIMPLEMENTED',
  13: 'INTERNAL',
  14: 'UNAVAILABLE',
  15: 'DATA_LOSS',
  16: 'UNAUTHENTICATED',
};

function partsOf(error: unknown): Parts {
  if (!(error instanceof Error)) return { reason: '', status: undefined, text: String(error) };
  const { message, cause } = error;
  const [code, errors] = [fieldOf(error, 'code'), fieldOf(error, 'errors')];
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const [reason, said] = [fieldOf(first, 'reason'), fieldOf(first, 'message')];
  const text = typeof said === 'string' ? said : message.trim();
  if (typeof reason === 'string') return { reason, status: numberOf(code), text };
  if (typeof code === 'number' && fieldOf(error, 'metadata') !== undefined)
    return { reason: GRPC_STATUS[code] ?? '', status: undefined, text };
  if (typeof code === 'string' && !/^\d+$/.test(code)) return { reason: code, status: undefined, text };
  if (code === undefined && cause instanceof Error) return { ...partsOf(cause), text };
  return { reason: '', status: numberOf(code), text };
}

function numberOf(code: unknown): number | undefined {
  return code === undefined || Number.isNaN(Number(code)) ? undefined : Number(code);
}

/** The smallest role with a permission, and the resource that it is granted on. */
const ROLES: readonly (readonly [RegExp, string])[] = [
  [/bigquery\.jobs\./, 'BigQuery Job User (roles/bigquery.jobUser) on the project'],
  [/bigquery\.readsessions\./, 'BigQuery Read Session User (roles/bigquery.readSessionUser) on the project'],
  [
    /bigquery\.tables\.(?:create|update|updateData|delete)/,
    'BigQuery Data Editor (roles/bigquery.dataEditor) on the dataset',
  ],
  [/bigquery\.(?:tables|datasets|routines)\./, 'BigQuery Data Viewer (roles/bigquery.dataViewer) on the dataset'],
  [/permission to query (?:table|view)/, 'BigQuery Data Viewer (roles/bigquery.dataViewer) on its dataset'],
];

function roleFor(rule: Pick<Rule, 'code'> | undefined, text: string): string | undefined {
  if (rule?.code !== 'WAREHOUSE_PERMISSION') return undefined;
  const [, role] = ROLES.find(([permission]) => permission.test(text)) ?? [];
  return role === undefined ? undefined : `The service account needs ${role}.`;
}
