import type { ConnectionOptions } from 'node:tls';
import { AppError } from '../../../src/kernel/index.ts';
import type { RedshiftConfig } from '../config.ts';
import { SSL_MODES, type SslMode } from '../tls-fields.ts';
import { authoritiesOf, contextOf, isAuthority } from './authorities.ts';

/** Options of one attempt; `undefined` stands for no TLS. */
export type Tls = ConnectionOptions | undefined;

/**
 * Returns the mode, by default one that checks certificate and name, as every Redshift cluster supports.
 * On the machine itself nobody can listen in between, and hardly any PostgreSQL there has a certificate.
 */
export function modeOf({ sslmode }: RedshiftConfig, address: string): SslMode {
  const named = SSL_MODES.find((mode) => mode === sslmode);
  return named ?? (isLoopback(address) ? 'prefer' : 'verify-full');
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Returns the attempts in order: `prefer` falls back to no TLS. */
export function attemptsOf(config: RedshiftConfig, address: string): readonly Tls[] {
  const mode = modeOf(config, address);
  if (mode === 'disable') return [undefined];
  if (mode === 'prefer') return [{ rejectUnauthorized: false, ...clientOf(config) }, undefined];
  return [optionsOf(config, mode)];
}

function optionsOf(config: RedshiftConfig, mode: SslMode): ConnectionOptions {
  const { host } = config;
  // the socket connects to an address, so the name for the certificate is given here
  const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host.replace(/\.$/, '') };
  if (mode === 'require') return { ...servername, rejectUnauthorized: false, ...clientOf(config) };
  const verified = { ...servername, rejectUnauthorized: true, ...trustOf(config), ...clientOf(config) };
  return mode === 'verify-ca' ? { ...verified, checkServerIdentity: () => undefined } : verified;
}

/** Returns the authorities; by default those of Node, which are the public ones. */
function trustOf({ sslrootcert, sslcert }: RedshiftConfig): ConnectionOptions {
  if (sslrootcert === undefined) return {};
  // a shared context has no room for a client's own certificate
  if (isAuthority(sslrootcert) && sslcert === undefined) return { secureContext: contextOf(sslrootcert) };
  return { ca: authoritiesOf(sslrootcert) };
}

function clientOf({ sslcert, sslkey }: RedshiftConfig): ConnectionOptions {
  return sslcert === undefined || sslkey === undefined ? {} : { cert: sslcert, key: sslkey };
}

/** Message of the driver, and of our own dialling, for a server without TLS. */
export const NO_TLS = 'The server does not support SSL connections';

export function hasNoTls(failure: unknown): boolean {
  return failure instanceof Error && !(failure instanceof AppError) && failure.message === NO_TLS;
}
