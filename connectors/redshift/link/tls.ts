import type { ConnectionOptions } from 'node:tls';
import { AppError } from '../../../src/kernel/index.ts';
import type { RedshiftConfig, SslMode } from '../config.ts';

/** How one attempt speaks: `undefined` is without TLS. */
export type Tls = ConnectionOptions | undefined;

/**
 * The mode that holds where none is configured: certificate and name are checked, as they can be for every Redshift cluster.
 * On the machine itself nobody listens in between, and hardly a PostgreSQL there has a certificate.
 */
export function modeOf({ sslmode }: RedshiftConfig, address: string): SslMode {
  if (sslmode !== undefined) return sslmode as SslMode;
  return isLoopback(address) ? 'prefer' : 'verify-full';
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** The attempts to make, in order: `prefer` falls back to none. */
export function attemptsOf(config: RedshiftConfig, address: string): readonly Tls[] {
  const mode = modeOf(config, address);
  if (mode === 'disable') return [undefined];
  if (mode === 'prefer') return [{ rejectUnauthorized: false }, undefined];
  return [optionsOf(config, mode)];
}

function optionsOf({ host, sslrootcert }: RedshiftConfig, mode: SslMode): ConnectionOptions {
  // the socket goes to an address: the name stays what the certificate is for
  const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host.replace(/\.$/, '') };
  if (mode === 'require') return { ...servername, rejectUnauthorized: false };
  const verified = {
    ...servername,
    rejectUnauthorized: true,
    ...(sslrootcert === undefined ? {} : { ca: sslrootcert }),
  };
  return mode === 'verify-ca' ? { ...verified, checkServerIdentity: () => undefined } : verified;
}

/** What the driver, and our own dialling, say of a server without TLS. */
export const NO_TLS = 'The server does not support SSL connections';

export function hasNoTls(failure: unknown): boolean {
  return failure instanceof Error && !(failure instanceof AppError) && failure.message === NO_TLS;
}
