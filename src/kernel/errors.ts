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
    meaning: 'A field of the request has a wrong value; the message names it.',
  },
  MALFORMED_BODY: { disposition: 'refused', meaning: 'The body is not JSON, or not in the encoding it declares.' },
  UNSUPPORTED_MEDIA_TYPE: { disposition: 'refused', meaning: 'The Content-Type is none this path reads.' },
  BODY_TOO_LARGE: { disposition: 'refused', meaning: 'The body, decompressed, is over the limit of this path.' },
  UNAUTHENTICATED: { disposition: 'refused', meaning: 'Credentials are missing, wrong or expired.' },
  FORBIDDEN: { disposition: 'refused', meaning: 'The credentials are right but do not allow this.' },
  NOT_FOUND: { disposition: 'refused', meaning: 'Nothing of that id exists in this workspace.' },
  GONE: { disposition: 'refused', meaning: 'It was there, and its time is over; it does not come back.' },
  METHOD_NOT_ALLOWED: { disposition: 'refused', meaning: 'The path exists, but not with this method.' },
  IDENTITY_MISSING: { disposition: 'refused', meaning: 'The request carries no identity that says whom it is about.' },
  IDENTITY_CONFLICT: { disposition: 'refused', meaning: 'A login identity of the request belongs to another profile.' },
  DUPLICATE_ID: { disposition: 'refused', meaning: 'Another resource of this workspace has that id.' },
  UNPROCESSABLE: {
    disposition: 'refused',
    meaning: 'The request is understood, and a limit or a rule forbids it; the message names it.',
  },
  IN_USE: { disposition: 'refused', meaning: 'Something else still refers to the resource.' },
  PIPELINE_NOT_IDLE: {
    disposition: 'refused',
    meaning: 'The pipeline is stopped or has a run; a trigger needs it idle.',
  },
  RUN_IN_PROGRESS: {
    disposition: 'refused',
    meaning: 'A run of the pipeline is not over; cancel it first, or wait for its end.',
  },
  REQUEST_IN_PROGRESS: {
    disposition: 'refused',
    meaning: 'A data subject request for the same thing is not over yet.',
  },
  RESET_PREVENTED: {
    disposition: 'refused',
    meaning: 'The change would reset the pipeline; repeat it with preventResets=false.',
  },
  NOT_SUPPORTED: { disposition: 'refused', meaning: 'This version of Penstock does not offer that yet.' },
  SQL_REFUSED: {
    disposition: 'fault',
    meaning: 'The model is not one SELECT, or uses a construct that is not allowed.',
  },
  RATE_LIMITED: { disposition: 'retry', meaning: 'Too many requests; Retry-After says when to come back.' },
  // the warehouse
  WAREHOUSE_UNREACHABLE: {
    disposition: 'retry',
    meaning: 'No connection to the warehouse: host, port, network or TLS.',
  },
  WAREHOUSE_THROTTLED: { disposition: 'retry', meaning: 'The warehouse is at a limit of its own and asks to wait.' },
  WAREHOUSE_SESSION_LOST: { disposition: 'retry', meaning: 'The session ended while it was in use.' },
  WAREHOUSE_TIMEOUT: { disposition: 'retry', meaning: 'The warehouse took longer than the statement timeout.' },
  WAREHOUSE_CREDENTIALS: { disposition: 'fault', meaning: 'The warehouse refuses the credentials of the connection.' },
  WAREHOUSE_PERMISSION: { disposition: 'fault', meaning: 'The credentials lack a grant; the message names it.' },
  WAREHOUSE_OBJECT_MISSING: {
    disposition: 'fault',
    meaning: 'A database, schema, table, column or file is not there.',
  },
  WAREHOUSE_SQL_INVALID: { disposition: 'fault', meaning: 'The warehouse does not accept the SQL of the model.' },
  WAREHOUSE_DATA: {
    disposition: 'fault',
    meaning: 'The statement failed on a value it computed, such as a cast or a division.',
  },
  WAREHOUSE_CONFIG: {
    disposition: 'fault',
    meaning: 'The configuration of the connection is incomplete or contradictory.',
  },
  WAREHOUSE_UNKNOWN: {
    disposition: 'bug',
    meaning: 'The warehouse failed in a way that Penstock does not know; the cause is in the log.',
  },
  CONNECTOR_MISSING: {
    disposition: 'fault',
    meaning: 'This build has no connector for the provider, or the operator turned it off.',
  },
  MODEL_INVALID: { disposition: 'fault', meaning: 'The columns of the model do not fit the pipeline.' },
  MODEL_CHANGED: {
    disposition: 'retry',
    meaning: 'The columns of the model changed between its description and its rows; it is described again.',
  },
  FEED_INACTIVE: { disposition: 'fault', meaning: 'The feed of the pipeline is not active.' },
  NO_ROW_MAPPED: {
    disposition: 'fault',
    meaning: 'None of the 1,000 rows or more that were read could be mapped; the model does not fit the pipeline.',
  },
  // calls of URLs that somebody gave us
  CALL_REFUSED: { disposition: 'refused', meaning: 'The URL may not be called; the message says why.' },
  CALL_FAILED: { disposition: 'retry', meaning: 'The URL was called and gave no whole answer.' },
  // the store
  STORE_UNAVAILABLE: { disposition: 'retry', meaning: 'The store of Penstock does not answer.' },
  STORE_CONFLICT: { disposition: 'retry', meaning: 'Two transactions met and this one lost; it can be tried again.' },
  STORE_UNIQUE: { disposition: 'refused', meaning: 'The store holds that key already.' },
  STORE_REFERENCE: { disposition: 'refused', meaning: 'A row that is referred to is missing, or still referred to.' },
  STORE_DATA: { disposition: 'row', meaning: 'The store cannot hold a value it was given.' },
  STORE_NEWER: { disposition: 'refused', meaning: 'The store was made by a newer Penstock; update this one.' },
  STORE_START: { disposition: 'refused', meaning: 'The embedded store cannot start; the message says why.' },
  // the process
  CONFIG_INVALID: { disposition: 'refused', meaning: 'A setting has a wrong value; the message names the variable.' },
  SECRET_UNREADABLE: { disposition: 'fault', meaning: 'A stored secret cannot be decrypted with the keys configured.' },
  LEASE_LOST: { disposition: 'cancelled', meaning: 'Another worker took the run over; nothing more is written here.' },
  CANCELLED: { disposition: 'cancelled', meaning: 'The work was cancelled.' },
  INTERNAL: { disposition: 'bug', meaning: 'A fault of Penstock itself; the log has its stack under the request id.' },
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
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError('INTERNAL', message, { cause: thrown });
}
