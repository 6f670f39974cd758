import { AppError, type ErrorCode, errorCode, messageOf } from '../kernel/index.ts';

interface Rule {
  readonly when: RegExp;
  readonly code: ErrorCode;
  readonly message: string;
}

const NO_TLS = 'No TLS with the store; check sslmode and the certificates of DATABASE_URL';

/** SQLSTATE or system code → ours. The first rule that matches decides. */
const BY_STATE: readonly Rule[] = [
  {
    when: /^(40001|40P01)$/,
    code: 'STORE_CONFLICT',
    message: 'Two transactions conflicted and this one was rolled back',
  },
  { when: /^55P03$/, code: 'STORE_CONFLICT', message: 'A row of the store stayed locked by another transaction' },
  { when: /^23505$/, code: 'STORE_UNIQUE', message: 'The store already has a row with that key' },
  {
    when: /^(23503|23001)$/,
    code: 'STORE_REFERENCE',
    message: 'A referenced row is missing, or the row is still referenced',
  },
  // a file format of COPY that is wrong is our encoder's fault, not a value's
  { when: /^22P04$/, code: 'INTERNAL', message: 'The store could not read a COPY' },
  { when: /^(22|2350[02]|23514|54000)/, code: 'STORE_DATA', message: 'The store cannot hold a value' },
  { when: /^53100$/, code: 'STORE_UNAVAILABLE', message: 'The disk of the store is full; free some space' },
  {
    when: /^53300$/,
    code: 'STORE_UNAVAILABLE',
    message: 'The store has no connection left; raise its max_connections or lower PENSTOCK_POOL_SIZE',
  },
  {
    when: /^(28|3D000)/,
    code: 'STORE_UNAVAILABLE',
    message: 'The store refuses the login; check user, password and database of DATABASE_URL',
  },
  { when: /^25006$/, code: 'STORE_UNAVAILABLE', message: 'The store is read-only; it may be a standby' },
  { when: /^(08|53|57P|58|25P03)/, code: 'STORE_UNAVAILABLE', message: 'The store does not answer' },
  {
    when: /^(26000|42P05)$/,
    code: 'STORE_UNAVAILABLE',
    message: 'A pooler in front of the store keeps no prepared statements; set PENSTOCK_STORE_PREPARED to off',
  },
  { when: /^57014$/, code: 'STORE_UNAVAILABLE', message: 'The store cancelled a statement' },
  {
    when: /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ENOTCONN)/,
    code: 'STORE_UNAVAILABLE',
    message: 'The store cannot be reached',
  },
  {
    when: /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME_MISMATCH)/,
    code: 'STORE_UNAVAILABLE',
    message: NO_TLS,
  },
];

/** A prepared statement whose columns changed. Its code, 0A000, is that of everything a server does not support. */
const OUTDATED_PLAN = /cached plan must not change result type/;

/**
 * Rules for errors without a telling code: the driver's own, and those of Citus, which reports failures of its nodes as XX000.
 */
const BY_MESSAGE: readonly Rule[] = [
  {
    when: OUTDATED_PLAN,
    code: 'STORE_CONFLICT',
    message: 'A migration changed a table that the transaction reads',
  },
  {
    when: /duplicate key value violates unique constraint/,
    code: 'STORE_UNIQUE',
    message: 'The store already has a row with that key',
  },
  {
    when: /deadlock|could not serialize access/,
    code: 'STORE_CONFLICT',
    message: 'Two transactions conflicted and this one was rolled back',
  },
  { when: /server does not support SSL|error establishing an SSL/, code: 'STORE_UNAVAILABLE', message: NO_TLS },
  {
    when: /Connection terminated|timeout exceeded when trying to connect|not queryable|after calling end|connection to the remote node|Client was closed/,
    code: 'STORE_UNAVAILABLE',
    message: 'The store does not answer',
  },
];

/**
 * Converts anything that a driver, drizzle or PostgreSQL threw into an AppError; no other place knows a SQLSTATE. An AppError
 * passes as it is. An unknown error becomes INTERNAL with its cause.
 */
export function storeError(thrown: unknown): AppError {
  const origin = originOf(thrown);
  if (origin instanceof AppError) return origin;
  const text = messageOf(origin);
  const state = stateOf(origin);
  const rule = BY_STATE.find(({ when }) => when.test(state)) ?? BY_MESSAGE.find(({ when }) => when.test(text));
  if (rule === undefined)
    return new AppError('INTERNAL', `A statement of the store failed: ${text}`, { cause: origin });
  return new AppError(rule.code, `${rule.message}: ${text}.`, { cause: origin });
}

/** Tells whether the same transaction may succeed when repeated: it lost against another one and was rolled back completely. */
export function isLostRace(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code !== 'STORE_CONFLICT' || error.cause === undefined) return false;
  return stateOf(error.cause) !== '55P03';
}

/** Tells whether a prepared statement has to be parsed anew. */
export function isOutdatedPlan(error: unknown): boolean {
  return OUTDATED_PLAN.test(messageOf(error));
}

/** Tells whether the user of the session lacks a right. */
export function isForbidden(error: unknown): boolean {
  return stateOf(originOf(error)) === '42501';
}

/** Tells whether the server is not up yet: nobody listens, its name is unknown, or it reports that it is starting. */
export function isComingUp(error: unknown): boolean {
  return isAbsent(error) || (error instanceof AppError && stateOf(error.cause) === '57P03');
}

/** Tells whether nobody listens, or the name of the server is unknown. */
export function isAbsent(error: unknown): boolean {
  return error instanceof AppError && /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(stateOf(error.cause));
}

/** Unwraps an error: drizzle wraps the driver's, and a refused connection on several addresses comes as a list of errors. */
function originOf(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return thrown;
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return originOf(thrown.errors[0]);
  return thrown.cause instanceof Error ? originOf(thrown.cause) : thrown;
}

function stateOf(thrown: unknown): string {
  return errorCode(thrown) ?? '';
}
