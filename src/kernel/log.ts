import { type DestinationStream, type Logger, pino } from 'pino';
import { asAppError, type ErrorCode } from './errors.ts';

export type Log = Logger;

/** Names that must not be printed wherever they stand; `Secret` values cannot be printed anyway. */
const REDACTED = [
  'password',
  'secret',
  'client_secret',
  'service_account_key',
  'authorization',
  'token',
  'access_token',
  'key',
];

/** Creates a log of JSON lines with event name and fields: `log.info({ run: 1 }, 'run.started')`. Secrets become `***`. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '***' },
    serializers: { err: shownError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Codes of errors whose message, or the DETAIL of a store error, may quote a person's value. */
const QUOTING: ReadonlySet<ErrorCode> = new Set(['INTERNAL', 'STORE_DATA', 'STORE_UNIQUE', 'STORE_REFERENCE']);
/** Errors of the operating system and of OpenSSL name files, addresses and formats alone. */
const OF_THE_SYSTEM = /^(E[A-Z]+|ERR_(OSSL|TLS)_\w+)$/;

/** Returns what a line shows of an error under `err`: its frames, and its message where that cannot quote a person. */
function shownError(thrown: unknown): Readonly<Record<string, string>> {
  const { code, message } = asAppError(thrown);
  const said = QUOTING.has(code) && !isOfTheSystem(thrown) ? {} : { message };
  return {
    type: thrown instanceof Error ? thrown.name : typeof thrown,
    code,
    ...said,
    stack: framesOf(thrown).join('\n'),
  };
}

function isOfTheSystem(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && OF_THE_SYSTEM.test(String(thrown.code));
}

const FRAMES = /^ {4}at .+$/gm;

/**
 * Returns the places where an error and its causes were thrown, for a log of work on personal data. Only frames are returned,
 * because a message or the DETAIL of a store error may quote a value.
 */
export function framesOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return [];
  const { stack = '', message, cause } = thrown;
  // a message of several lines could pass for frames
  const frames = stack.slice(Math.max(stack.indexOf(message), 0) + message.length).match(FRAMES) ?? [];
  return [...frames.map((frame) => frame.trim()), ...framesOf(cause)];
}
