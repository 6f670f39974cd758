// The kernel knows no domain word and does no I/O: error codes, lossless JSON, clock, ids, secrets, backoff, logging.
// Every other room stands on it, and it imports none of them.
import type { Worded } from './wording.ts';

/**
 * The reaction of the engine, or of any code that catches the error (D-092, D-113): `retry` try again later; `fault` stop the
 * resource until someone acts; `row` one value of one row is at fault; `cancelled` someone asked for the end; `refused` the
 * caller's input is at fault; `bug` ours, logged with its stack.
 */
export type Disposition = 'retry' | 'fault' | 'row' | 'cancelled' | 'refused' | 'bug';

/** The one table of error codes. The HTTP status of each stands in `http/`, which does not compile while one is missing. */
export const ERROR_CODES = {
  // what a caller did wrong
  VALIDATION_FAILED: {
    disposition: 'refused',
    meaning: 'A field of the request has an invalid value; the message names the field.',
  },
  MALFORMED_BODY: {
    disposition: 'refused',
    meaning: 'The body is not valid JSON, or not in the encoding it declares.',
  },
  UNSUPPORTED_MEDIA_TYPE: { disposition: 'refused', meaning: 'This path does not accept the Content-Type.' },
  BODY_TOO_LARGE: { disposition: 'refused', meaning: 'The decompressed body exceeds the limit of this path.' },
  UNAUTHENTICATED: { disposition: 'refused', meaning: 'Credentials are missing, wrong or expired.' },
  FORBIDDEN: { disposition: 'refused', meaning: 'The credentials are valid but do not allow this.' },
  NOT_FOUND: { disposition: 'refused', meaning: 'This workspace has no resource with that id.' },
  GONE: { disposition: 'refused', meaning: 'The resource has expired or was deleted. It cannot be restored.' },
  METHOD_NOT_ALLOWED: { disposition: 'refused', meaning: 'The path does not support this method.' },
  IDENTITY_MISSING: { disposition: 'refused', meaning: 'The request contains no identity of a person.' },
  IDENTITY_CONFLICT: { disposition: 'refused', meaning: 'A login identity of the request belongs to another profile.' },
  DUPLICATE_ID: { disposition: 'refused', meaning: 'Another resource of this workspace already has that id.' },
  UNPROCESSABLE: {
    disposition: 'refused',
    meaning: 'The request is valid, but a limit or a rule forbids it; the message names which.',
  },
  IN_USE: { disposition: 'refused', meaning: 'Another resource still refers to this one.' },
  PIPELINE_NOT_IDLE: {
    disposition: 'refused',
    meaning: 'The pipeline is stopped or has a run in progress. Only an idle pipeline can be triggered.',
  },
  RUN_IN_PROGRESS: {
    disposition: 'refused',
    meaning: 'A run of the pipeline is in progress. Cancel it first, or wait until it ends.',
  },
  REQUEST_IN_PROGRESS: {
    disposition: 'refused',
    meaning: 'A data subject request for the same person and purpose is in progress.',
  },
  RESET_PREVENTED: {
    disposition: 'refused',
    meaning: 'The change would reset the pipeline. Repeat it with preventResets=false.',
  },
  NOT_SUPPORTED: { disposition: 'refused', meaning: 'This version of Penstock does not support that yet.' },
  SQL_REFUSED: {
    disposition: 'fault',
    meaning: 'The model is not a single SELECT, or uses a construct that is not allowed.',
  },
  RATE_LIMITED: { disposition: 'retry', meaning: 'Too many requests; Retry-After gives the seconds to wait.' },
  // the warehouse
  WAREHOUSE_UNREACHABLE: {
    disposition: 'retry',
    meaning: 'The warehouse cannot be reached: host, port, network or TLS.',
  },
  WAREHOUSE_THROTTLED: { disposition: 'retry', meaning: 'The warehouse has reached one of its own limits.' },
  WAREHOUSE_SESSION_LOST: {
    disposition: 'retry',
    meaning: 'The session with the warehouse was lost while it was in use.',
  },
  WAREHOUSE_TIMEOUT: { disposition: 'retry', meaning: 'The warehouse exceeded the statement timeout.' },
  WAREHOUSE_CREDENTIALS: { disposition: 'fault', meaning: 'The warehouse rejects the credentials of the connection.' },
  WAREHOUSE_PERMISSION: { disposition: 'fault', meaning: 'The credentials lack a grant; the message names it.' },
  WAREHOUSE_OBJECT_MISSING: {
    disposition: 'fault',
    meaning: 'A database, schema, table, column or file does not exist.',
  },
  WAREHOUSE_SQL_INVALID: { disposition: 'fault', meaning: 'The warehouse rejects the SQL of the model.' },
  WAREHOUSE_DATA: {
    disposition: 'fault',
    meaning: 'The statement failed on a computed value, such as a cast or a division.',
  },
  WAREHOUSE_CONFIG: {
    disposition: 'fault',
    meaning: 'The configuration of the connection is incomplete or contradictory.',
  },
  WAREHOUSE_UNKNOWN: {
    disposition: 'bug',
    meaning: 'The warehouse reported an error that Penstock does not know; the cause is in the log.',
  },
  CONNECTOR_MISSING: {
    disposition: 'fault',
    meaning: 'This build has no connector for the provider, or the operator disabled it.',
  },
  MODEL_INVALID: { disposition: 'fault', meaning: 'The columns of the model do not fit the pipeline.' },
  MODEL_CHANGED: {
    disposition: 'retry',
    meaning: 'The columns of the model changed between its description and its rows. The model is described again.',
  },
  FEED_INACTIVE: { disposition: 'fault', meaning: 'The feed of the pipeline is not active.' },
  NO_ROW_MAPPED: {
    disposition: 'fault',
    meaning: 'None of the first 1,000 rows or more could be mapped. The model does not fit the pipeline.',
  },
  // calls of URLs that somebody gave us
  CALL_REFUSED: { disposition: 'refused', meaning: 'The URL must not be called; the message gives the reason.' },
  CALL_FAILED: { disposition: 'retry', meaning: 'The URL was called but gave no complete answer.' },
  // the store
  STORE_UNAVAILABLE: { disposition: 'retry', meaning: 'The store of Penstock does not answer.' },
  STORE_CONFLICT: { disposition: 'retry', meaning: 'The transaction conflicted with another one and was rolled back.' },
  STORE_UNIQUE: { disposition: 'refused', meaning: 'The store already has a row with that key.' },
  STORE_REFERENCE: { disposition: 'refused', meaning: 'A referenced row is missing, or the row is still referenced.' },
  STORE_DATA: { disposition: 'row', meaning: 'The store cannot hold one of the values.' },
  STORE_NEWER: { disposition: 'refused', meaning: 'A newer version of Penstock migrated the store; update this one.' },
  STORE_START: { disposition: 'refused', meaning: 'The embedded store cannot start; the message gives the reason.' },
  // the process
  CONFIG_INVALID: {
    disposition: 'refused',
    meaning: 'A setting has an invalid value; the message names the variable.',
  },
  SECRET_UNREADABLE: { disposition: 'fault', meaning: 'A stored secret cannot be decrypted with the configured keys.' },
  LEASE_LOST: { disposition: 'cancelled', meaning: 'Another worker took over the run; this one writes nothing more.' },
  CANCELLED: { disposition: 'cancelled', meaning: 'The work was cancelled.' },
  INTERNAL: { disposition: 'bug', meaning: 'A bug in Penstock; the log has its stack trace under the request id.' },
} as const satisfies Record<string, { disposition: Disposition; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One complaint: `path` is the field as the caller wrote it (`config.sql_query`), empty for the whole. */
export interface Issue extends Worded {
  readonly path: string;
}

interface AppErrorOptions {
  readonly cause?: unknown;
  readonly issues?: readonly Issue[];
  /** Seconds until a `retry` makes sense, where somebody told us (throttling). */
  readonly retryAfterSeconds?: number;
  /** Values that an API needs to say it in its own words; names and values are the thrower's. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Subject of the error, such as `connection`: the thing that has to be fixed, in the thrower's words. */
  readonly subject?: string;
}

/** The only error that crosses a room's border. Its message is for people and never holds a secret. */
export class AppError extends Error implements Worded {
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];
  readonly pieces?: NonNullable<Worded['pieces']>;
  readonly retryAfterSeconds: number | undefined;
  readonly subject: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, words: string | Worded, options: AppErrorOptions = {}) {
    super(
      typeof words === 'string' ? words : words.message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AppError';
    this.code = code;
    if (typeof words !== 'string' && words.pieces !== undefined) this.pieces = words.pieces;
    this.issues = options.issues ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.subject = options.subject;
    this.parameters = options.parameters ?? {};
  }

  /** Returns the error as one about `subject`. An error that names its subject already keeps it. */
  about(subject: string): AppError {
    if (this.subject !== undefined) return this;
    const { code, issues, parameters, retryAfterSeconds } = this;
    const after = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return new AppError(code, this, { cause: this, issues, parameters, subject, ...after });
  }

  get disposition(): Disposition {
    return ERROR_CODES[this.code].disposition;
  }
}

/** Makes the error for bad input: one message that lists every issue with its path, so that all can be fixed at once. */
export function refuse(issues: readonly Issue[]): AppError {
  const text = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return new AppError('VALIDATION_FAILED', text, { issues });
}

/** Converts anything thrown into an AppError. An unknown error is a bug and keeps its cause. */
export function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return new AppError('CANCELLED', 'The work was cancelled.', { cause: thrown });
  }
  return new AppError('INTERNAL', messageOf(thrown), { cause: thrown });
}

/** Returns the message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the code that Node or a driver gave an error, such as ENOENT, or undefined. */
export function errorCode(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
