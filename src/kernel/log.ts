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
