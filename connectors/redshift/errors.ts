// Errors by class: SQLSTATE of the server, and the driver's own few texts.
import { AppError, type ErrorCode, field, joined, say, template, type Worded } from '../../src/kernel/index.ts';
import { classifier } from '../_shared/classifier.ts';
import { fieldOf } from '../_shared/field-of.ts';
import { sentence } from '../_shared/sentence.ts';
import { type SocketWords, socketFaultOf } from '../_shared/socket-errors.ts';
import { NO_TLS } from './link/tls.ts';
import { postgresRuleOf } from './postgresql-rules.ts';
import { isDataError, reasonOf, redshiftRuleOf } from './redshift-rules.ts';

export interface Rule {
  /** SQLSTATE: the whole or its beginning. */
  readonly state?: string;
  /** Text that the message must contain, alone or besides the state. */
  readonly holds?: string;
  readonly code: ErrorCode;
  readonly advice?: string;
}

const TLS_ADVICE =
  'Set {config.sslrootcert} to the certificate authority of the server, or {config.sslmode} to require, which encrypts without checking certificates.';
const NO_TLS_ADVICE = 'Set {config.sslmode} to disable if the network in between can be trusted.';

const SOCKET_WORDS: SocketWords = {
  address: 'Check {config.host} and {config.port}.',
  certificate: { code: 'WAREHOUSE_CONFIG', advice: TLS_ADVICE },
};

/** Rules in order; the first match decides, so single states come before their classes. */
export const RULES: readonly Rule[] = [
  {
    state: '57014',
    code: 'WAREHOUSE_TIMEOUT',
    advice: 'PENSTOCK_WAREHOUSE_TIMEOUT_S limits how long a statement may take.',
  },
  { state: '28', code: 'WAREHOUSE_CREDENTIALS', advice: 'Check {config.user} and {config.password}.' },
  { state: '3D000', code: 'WAREHOUSE_OBJECT_MISSING', advice: 'Check {config.database}.' },
  { state: '42501', code: 'WAREHOUSE_PERMISSION' },
  { state: '25006', code: 'SQL_REFUSED', advice: 'A model can only read.' },
  // a function that sets transaction_read_only
  { state: '25001', code: 'SQL_REFUSED', advice: 'A model can only read.' },
  { state: '42P01', code: 'WAREHOUSE_OBJECT_MISSING' },
  { state: '42703', code: 'WAREHOUSE_OBJECT_MISSING' },
  { state: '3F000', code: 'WAREHOUSE_OBJECT_MISSING' },
  { state: '42', code: 'WAREHOUSE_SQL_INVALID' },
  { state: '0A000', code: 'WAREHOUSE_SQL_INVALID' },
  { state: '54', code: 'WAREHOUSE_SQL_INVALID' },
  { state: '22', code: 'WAREHOUSE_DATA' },
  { state: '21000', code: 'WAREHOUSE_DATA' },
  { state: '23', code: 'WAREHOUSE_DATA' },
  { state: '2F', code: 'WAREHOUSE_DATA' },
  { state: '38', code: 'WAREHOUSE_DATA' },
  { state: '39', code: 'WAREHOUSE_DATA' },
  { state: '55000', code: 'WAREHOUSE_DATA' },
  { state: 'P0', code: 'WAREHOUSE_DATA' },
  { state: 'HV', code: 'WAREHOUSE_DATA' },
  { state: 'XX001', code: 'WAREHOUSE_DATA' },
  { state: 'XX002', code: 'WAREHOUSE_DATA' },
  {
    state: '53400',
    code: 'WAREHOUSE_DATA',
    advice: 'The model exceeds the resources that the server allows; simplify it.',
  },
  { state: '53', code: 'WAREHOUSE_THROTTLED' },
  { state: '55006', code: 'WAREHOUSE_THROTTLED' },
  { state: '55P03', code: 'WAREHOUSE_THROTTLED' },
  { state: '57P03', code: 'WAREHOUSE_UNREACHABLE' },
  { state: '57P04', code: 'WAREHOUSE_OBJECT_MISSING' },
  { state: '57P', code: 'WAREHOUSE_SESSION_LOST' },
  { state: '25P', code: 'WAREHOUSE_SESSION_LOST' },
  { state: '40', code: 'WAREHOUSE_SESSION_LOST' },
  { state: '58', code: 'WAREHOUSE_SESSION_LOST' },
  { state: '08', code: 'WAREHOUSE_UNREACHABLE' },
  { holds: NO_TLS, code: 'WAREHOUSE_CONFIG', advice: NO_TLS_ADVICE },
  { holds: 'establishing an SSL connection', code: 'WAREHOUSE_UNREACHABLE' },
  {
    holds: 'timeout expired',
    code: 'WAREHOUSE_UNREACHABLE',
    advice: 'Check {config.host}, {config.port} and firewalls.',
  },
  { holds: 'Connection terminated', code: 'WAREHOUSE_SESSION_LOST' },
  { holds: 'not queryable', code: 'WAREHOUSE_SESSION_LOST' },
  {
    holds: 'Unknown authenticationOk message type',
    code: 'WAREHOUSE_CREDENTIALS',
    advice: 'The server does not accept user and password, but for example IAM Identity Center. Use a database user.',
  },
  { holds: 'SASL', code: 'WAREHOUSE_CREDENTIALS', advice: 'Check {config.user} and {config.password}.' },
  { holds: 'SCRAM', code: 'WAREHOUSE_CREDENTIALS', advice: 'Check {config.user} and {config.password}.' },
  // a text over V8's limit of 512 MiB
  { holds: 'Cannot create a string longer than', code: 'WAREHOUSE_DATA' },
];

/** Right that a statement needs on a table, which the server does not name when it refuses. */
type Wanted = 'SELECT' | 'UPDATE';

/**
 * Returns the class of an error. Never throws; an error that no rule matches is WAREHOUSE_UNKNOWN with its cause. Neither
 * server nor driver repeats a password.
 */
export function classify(error: unknown, wanted: Wanted = 'SELECT'): AppError {
  return classifier((failure) => nameFailure(failure, wanted))(error);
}

function nameFailure(error: unknown, wanted: Wanted): AppError {
  const { state, text, details, hint } = partsOf(error);
  const rule =
    postgresRuleOf(state, text) ??
    socketFaultOf(state, SOCKET_WORDS) ??
    redshiftRuleOf(state, text, details) ??
    RULES.find((candidate) => fits(candidate, state, text)) ??
    (isDataError(details) ? DATA_ERROR : undefined);
  const reason = state === 'XX000' ? reasonOf(details) : undefined;
  const said = [
    sentence(state === '' ? text : `${text} (${state})`),
    reason === undefined ? undefined : sentence(reason),
    hint,
    rule?.advice === undefined ? undefined : template(rule.advice),
    grantFor(state, text, wanted),
  ];
  const message = say`The warehouse: ${joined(said)}`;
  return new AppError(rule?.code ?? 'WAREHOUSE_UNKNOWN', message, { cause: error });
}

const DATA_ERROR: Rule = { code: 'WAREHOUSE_DATA' };

function fits({ state, holds }: Rule, found: string, text: string): boolean {
  return (state === undefined || found.startsWith(state)) && (holds === undefined || text.includes(holds));
}

interface Parts {
  readonly state: string;
  readonly text: string;
  readonly details: string;
  readonly hint?: string;
}

function partsOf(error: unknown): Parts {
  if (!(error instanceof Error)) return { state: '', text: String(error), details: '' };
  const [code, hint, detail] = [fieldOf(error, 'code'), fieldOf(error, 'hint'), fieldOf(error, 'detail')];
  return {
    state: typeof code === 'string' ? code : '',
    // where several addresses were tried, their messages are inside
    text: error.message === '' && error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message,
    details: typeof detail === 'string' ? detail : '',
    ...(typeof hint === 'string' && hint !== '' ? { hint: sentence(hint) } : {}),
  };
}

const DENIED = /^permission denied for (\w+(?: \w+)*?) ("?[^"\s]+"?)$/;
const GRANTS: Readonly<Record<string, string>> = {
  schema: 'USAGE ON SCHEMA',
  database: 'CONNECT ON DATABASE',
  function: 'EXECUTE ON FUNCTION',
  sequence: 'SELECT ON SEQUENCE',
  type: 'USAGE ON TYPE',
};

const USER = field('config.user');

const DENIED_STAGING = /^permission denied to create temporary tables in database (.+)$/;

/** Returns the missing grant as a statement, where the server names the object. */
function grantFor(state: string, text: string, wanted: Wanted): Worded | undefined {
  if (state !== '42501') return undefined;
  const [, database] = DENIED_STAGING.exec(text) ?? [];
  if (database !== undefined) return say`It needs GRANT TEMPORARY ON DATABASE ${database} for ${USER}.`;
  const [, kind = '', name = ''] = DENIED.exec(text) ?? [];
  return kind === '' ? undefined : say`It needs GRANT ${GRANTS[kind] ?? `${wanted} ON`} ${name} for ${USER}.`;
}
