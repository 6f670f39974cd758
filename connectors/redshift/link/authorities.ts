// The public certificate authorities of managed services, whose files lie in `certificates/` with source and date.
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';

/** Services whose authorities are the same for all customers. Cloud SQL has one for each instance or region instead. */
export const AUTHORITIES = ['aws-rds', 'azure', 'supabase'] as const;
type Authority = (typeof AUTHORITIES)[number];

const TEXTS = new Map<Authority, string>();
const CONTEXTS = new Map<Authority, SecureContext>();

export function isAuthority(text: string): text is Authority {
  return AUTHORITIES.some((name) => name === text);
}

/** Returns the certificates of `sslrootcert` in PEM: those of the named service, or the text itself. */
export function authoritiesOf(sslrootcert: string): string {
  return isAuthority(sslrootcert) ? remembered(TEXTS, sslrootcert, readAuthorities) : sslrootcert;
}

/** Returns the parsed certificates of a service, once for all connections: those of AWS take 50 ms. */
export function contextOf(authority: Authority): SecureContext {
  return remembered(CONTEXTS, authority, (name) => createSecureContext({ ca: authoritiesOf(name) }));
}

function readAuthorities(name: Authority): string {
  return readFileSync(new URL(`../certificates/${name}.pem`, import.meta.url), 'utf8');
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const value = known.get(key) ?? make(key);
  known.set(key, value);
  return value;
}
