import { type DestinationStream, type Logger, pino } from 'pino';

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

/** JSON lines with event name and fields: `log.info({ run: 1 }, 'run.started')`. Secrets become `***`. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '***' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

const FRAMES = /^ {4}at .+$/gm;

/**
 * Where an error and its causes were thrown, for a log of work on somebody's data: the frames alone, because a message or the
 * DETAIL of a store error may quote a value.
 */
export function framesOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return [];
  const { stack = '', message, cause } = thrown;
  // a message of several lines could pass for frames
  const frames = stack.slice(Math.max(stack.indexOf(message), 0) + message.length).match(FRAMES) ?? [];
  return [...frames.map((frame) => frame.trim()), ...framesOf(cause)];
}
