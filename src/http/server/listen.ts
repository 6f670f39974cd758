import { isIPv6 } from 'node:net';
import { AppError, errorCode } from '../../kernel/index.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Returns the address that a person on this machine would type. */
export function urlOf({ host, port }: Address, scheme: 'http' | 'https' = 'http'): string {
  const name = ANY_ADDRESS.has(host) ? '127.0.0.1' : host;
  return `${scheme}://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** Returns the error why the daemon cannot listen, with its remedy. */
export function listenError(thrown: unknown, { host, port }: Address): AppError {
  const code = errorCode(thrown) ?? '';
  const reason = REASONS[code]?.(host, port) ?? `Cannot listen on ${host}:${port}: ${String(thrown)}.`;
  return new AppError('CONFIG_INVALID', reason, { cause: thrown });
}

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use, perhaps by another Penstock. Stop that program, or set PENSTOCK_PORT to a free port (0 takes any).`,
  EACCES: (_host, port) =>
    `This user may not listen on port ${port}. Set PENSTOCK_PORT to a port above 1023, or grant the right.`,
  EADDRNOTAVAIL: (host) =>
    `${host} is not an address of this machine. Set PENSTOCK_HOST to one, or to 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `The name ${host} cannot be resolved. Set PENSTOCK_HOST to an address of this machine.`,
};
