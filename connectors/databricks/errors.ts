// Errors by class: SQLSTATE of the server, status of HTTP, and the SDK's own few texts.
import { AppError, ERROR_CODES, type ErrorCode } from '../../src/kernel/index.ts';
import { classifier, cutText } from '../_shared/classifier.ts';
import { fieldOf } from '../_shared/field-of.ts';
import { sentence } from '../_shared/sentence.ts';
import { type SocketWords, socketFaultOf } from '../_shared/socket-errors.ts';
import { RefusedCall } from './link.ts';
import { RefusedSignIn } from './principal-token.ts';
import { httpFailureOf, retryAfterSecondsOf } from './retry-after.ts';

export interface Rule {
  /** SQLSTATE, `HTTP 403`, or the kind of a refused call: the whole or its beginning. */
  readonly state?: string;
  /** Pattern that the message must match, alone or besides the state. */
  readonly holds?: RegExp;
  readonly code: ErrorCode;
  readonly advice?: string;
}

const TIMEOUT_ADVICE = 'PENSTOCK_WAREHOUSE_TIMEOUT_S limits how long a statement may take.';
const TOKEN_ADVICE = 'Check config.token, or config.client_id and config.client_secret.';
const PRINCIPAL_ADVICE =
  'Check config.client_id, config.client_secret and, for Microsoft Entra ID, config.azure_tenant_id.';
const PATH_ADVICE = 'Check config.http_path.';
const ACCESS_LIST_ADVICE = 'Ask an admin of the workspace to add the address to its IP access list.';
const OWNED_ADVICE =
  'A pipeline of Databricks owns the table and nothing else may change it. Write back to a Delta table of its own.';
const POLICY_ADVICE =
  'MERGE does not support some row filters and column masks. Exempt the principal of the connection in the policy, or write ' +
  'back to a Delta table without one.';
const TLS_ADVICE =
  'The certificate of config.host is not trusted. Behind a proxy that intercepts TLS, add its authority with NODE_EXTRA_CA_CERTS.';

const LENGTH_ADVICE =
  'An answer may be four times as long as PENSTOCK_WAREHOUSE_MESSAGE_MB. Select fewer or shorter columns.';

const SOCKET_WORDS: SocketWords = {
  address: 'Check config.host.',
  certificate: { code: 'WAREHOUSE_CONFIG', advice: TLS_ADVICE },
};

/** Rules in order; the first match decides, so single states come before their classes. */
export const RULES: readonly Rule[] = [
  { state: 'INVALID_HANDLE', code: 'WAREHOUSE_SESSION_LOST' },
  { state: 'CLOSED', code: 'WAREHOUSE_SESSION_LOST' },
  { state: 'CANCELED', code: 'WAREHOUSE_TIMEOUT', advice: TIMEOUT_ADVICE },
  { state: 'TIMEDOUT', code: 'WAREHOUSE_TIMEOUT', advice: TIMEOUT_ADVICE },
  // a pipeline of Databricks owns these tables; the SQLSTATEs are those of syntax and of previews
  { holds: /^\[MATERIALIZED_VIEW_OPERATION_NOT_ALLOWED/, code: 'WAREHOUSE_SQL_INVALID', advice: OWNED_ADVICE },
  { holds: /^\[STREAMING_TABLE_OPERATION_NOT_ALLOWED/, code: 'WAREHOUSE_SQL_INVALID', advice: OWNED_ADVICE },
  {
    holds: /^\[(?:ROW_COLUMN_ACCESS|ROW_LEVEL_SECURITY|COLUMN_MASKS?)[_.\]]/,
    code: 'WAREHOUSE_SQL_INVALID',
    advice: POLICY_ADVICE,
  },
  { holds: /^\[DELTA_(?:CONCURRENT|METADATA_CHANGED|PROTOCOL_CHANGED)/, code: 'WAREHOUSE_SESSION_LOST' },
  // older runtimes name the exception alone
  {
    holds: /\b(?:Concurrent[A-Z][A-Za-z]{3,20}|ProtocolChanged|MetadataChanged)Exception: /,
    code: 'WAREHOUSE_SESSION_LOST',
  },
  { state: '2D521', code: 'WAREHOUSE_SESSION_LOST' },
  { state: 'HY008', code: 'WAREHOUSE_TIMEOUT', advice: TIMEOUT_ADVICE },
  { state: 'HYT', code: 'WAREHOUSE_TIMEOUT', advice: TIMEOUT_ADVICE },
  { state: '57KD0', code: 'WAREHOUSE_TIMEOUT', advice: TIMEOUT_ADVICE },
  { state: '57014', code: 'WAREHOUSE_TIMEOUT', advice: TIMEOUT_ADVICE },
  { state: '28', code: 'WAREHOUSE_CREDENTIALS', advice: TOKEN_ADVICE },
  { state: '42501', code: 'WAREHOUSE_PERMISSION' },
  {
    holds: /^\[(?:INSUFFICIENT_(?:PERMISSIONS|PRIVILEGES)|PERMISSION_DENIED|UNAUTHORIZED_ACCESS)/,
    code: 'WAREHOUSE_PERMISSION',
  },
  { holds: /(?:^|: )PERMISSION_DENIED: /, code: 'WAREHOUSE_PERMISSION' },
  // older runtimes give no SQLSTATE
  { holds: /^\[(?:TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|UNRESOLVED_COLUMN)/, code: 'WAREHOUSE_OBJECT_MISSING' },
  { state: '42P01', code: 'WAREHOUSE_OBJECT_MISSING' },
  { state: '42703', code: 'WAREHOUSE_OBJECT_MISSING' },
  // has the same state as a missing object
  { holds: /^\[AMBIGUOUS_REFERENCE/, code: 'WAREHOUSE_SQL_INVALID' },
  { state: '42704', code: 'WAREHOUSE_OBJECT_MISSING' },
  { state: '42', code: 'WAREHOUSE_SQL_INVALID' },
  { state: '0A', code: 'WAREHOUSE_SQL_INVALID' },
  { state: '54', code: 'WAREHOUSE_SQL_INVALID' },
  { state: '56', code: 'WAREHOUSE_SQL_INVALID' },
  { state: '21', code: 'WAREHOUSE_DATA' },
  { state: '22', code: 'WAREHOUSE_DATA' },
  { state: '23', code: 'WAREHOUSE_DATA' },
  { state: '38', code: 'WAREHOUSE_DATA' },
  { state: '39', code: 'WAREHOUSE_DATA' },
  { state: 'P0', code: 'WAREHOUSE_DATA' },
  { state: 'KD', code: 'WAREHOUSE_DATA' },
  { state: '08', code: 'WAREHOUSE_UNREACHABLE' },
  { state: '40', code: 'WAREHOUSE_SESSION_LOST' },
  { state: '53', code: 'WAREHOUSE_THROTTLED' },
  { state: '57', code: 'WAREHOUSE_SESSION_LOST' },
  { state: '58', code: 'WAREHOUSE_SESSION_LOST' },
  { state: 'HTTP 400', code: 'WAREHOUSE_OBJECT_MISSING', advice: PATH_ADVICE },
  { state: 'HTTP 401', code: 'WAREHOUSE_CREDENTIALS', advice: TOKEN_ADVICE },
  {
    state: 'HTTP 403',
    holds: /blocked by Databricks IP ACL/,
    code: 'WAREHOUSE_PERMISSION',
    advice: ACCESS_LIST_ADVICE,
  },
  { state: 'HTTP 403', code: 'WAREHOUSE_CREDENTIALS', advice: TOKEN_ADVICE },
  { state: 'HTTP 404', code: 'WAREHOUSE_OBJECT_MISSING', advice: PATH_ADVICE },
  { state: 'HTTP 429', code: 'WAREHOUSE_THROTTLED' },
  { state: 'HTTP 503', code: 'WAREHOUSE_UNREACHABLE', advice: 'A stopped warehouse needs minutes to start.' },
  { state: 'HTTP 5', code: 'WAREHOUSE_UNREACHABLE' },
  { state: 'HTTP', code: 'WAREHOUSE_UNREACHABLE', advice: 'Check config.host and config.http_path.' },
  { state: 'OAUTH invalid_', code: 'WAREHOUSE_CREDENTIALS', advice: PRINCIPAL_ADVICE },
  { state: 'OAUTH unauthorized', code: 'WAREHOUSE_CREDENTIALS', advice: PRINCIPAL_ADVICE },
  { state: 'OAUTH access', code: 'WAREHOUSE_CREDENTIALS', advice: PRINCIPAL_ADVICE },
  { state: 'OAUTH', code: 'WAREHOUSE_UNREACHABLE' },
  { holds: /Request timed out/, code: 'WAREHOUSE_UNREACHABLE' },
  { holds: /socket hang up|[Pp]remature close|network socket disconnected/, code: 'WAREHOUSE_SESSION_LOST' },
  { holds: /^content size at .* over limit: \d+$/, code: 'WAREHOUSE_DATA', advice: LENGTH_ADVICE },
  // a text over V8's limit of 512 MiB
  { holds: /Cannot create a string longer than/, code: 'WAREHOUSE_DATA' },
];

/**
 * Returns the class of an error. Never throws; an error that no rule matches is WAREHOUSE_UNKNOWN with its cause. Neither
 * server nor SDK repeats a secret.
 */
export const classify = classifier((error) => {
  const { state, text } = partsOf(error);
  // an error of the guard of sockets arrives as the failure of a socket
  if (isOurs(state)) return new AppError(state, text.replace(/^request to .*? failed, reason: /, ''), { cause: error });
  const rule = socketFaultOf(state, SOCKET_WORDS) ?? RULES.find((candidate) => fits(candidate, state, text));
  const said = [sentence(text.includes(state) ? text : `${text} (${state})`), rule?.advice];
  const seconds = retryAfterSecondsOf(error);
  return new AppError(
    rule?.code ?? 'WAREHOUSE_UNKNOWN',
    `The warehouse: ${said.filter((part) => part !== undefined).join(' ')}`,
    { cause: error, ...(seconds === undefined ? {} : { retryAfterSeconds: Math.ceil(seconds) }) },
  );
});

function isOurs(state: string): state is ErrorCode {
  return state.startsWith('WAREHOUSE_') && Object.hasOwn(ERROR_CODES, state);
}

function fits({ state, holds }: Rule, found: string, text: string): boolean {
  return (state === undefined || found.startsWith(state)) && (holds === undefined || holds.test(text));
}

interface Parts {
  readonly state: string;
  readonly text: string;
}

function partsOf(error: unknown): Parts {
  if (error instanceof RefusedCall) return refusalParts(error);
  const answer = httpFailureOf(error);
  if (answer !== undefined) return { state: `HTTP ${answer.statusCode}`, text: httpText(answer) };
  if (!(error instanceof Error)) return { state: '', text: String(error) };
  if (error instanceof RefusedSignIn) return signInParts(error);
  const code = fieldOf(error, 'code');
  return { state: typeof code === 'string' ? code : '', text: error.message };
}

function signInParts({ error, message: text }: RefusedSignIn): Parts {
  return { state: `OAUTH ${error}`.trim(), text: `Signing in failed: ${text.replace(/\s+/g, ' ')}` };
}

function refusalParts({ state, sqlState, message }: RefusedCall): Parts {
  const found = sqlState ?? /SQLSTATE: (\w{5})/.exec(message)?.[1];
  return { state: state === 'ERROR' ? (found ?? '') : state, text: essence(message) };
}

const ERROR_CLASS = /\[[A-Z][A-Z0-9_.]*\]/g;

/**
 * Returns the line that names the error's class, from its last such name on, and the next line if a colon leads to it.
 * The rest holds hints for other statements, the plan, and the statement, which is not letter by letter the customer's.
 */
function essence(message: string): string {
  const lines = message.trim().split('\n');
  const at = lines.findIndex((line) => line.search(ERROR_CLASS) !== -1);
  const [found = '', next = ''] = lines.slice(Math.max(at, 0));
  const named = found.slice([...found.matchAll(ERROR_CLASS)].at(-1)?.index ?? 0);
  const line = named.trimEnd().endsWith(':') ? `${named.trimEnd()} ${next.trim()}` : named;
  return line.replace(/(?:; line \d+ pos \d+;?| \(line \d+, pos \d+\)| SQLSTATE: \w{5})/g, '').trim();
}

const REASONS = [
  'x-databricks-reason-phrase',
  'x-thriftserver-error-message',
  'x-databricks-error-or-redirect-message',
];

function httpText({ statusCode, response }: NonNullable<ReturnType<typeof httpFailureOf>>): string {
  const reason = REASONS.map((name) => response.headers.get(name) ?? '').find((text) => text !== '');
  return `It answered HTTP ${statusCode}${reason === undefined ? '' : `: ${cutText(reason)}`}`;
}
