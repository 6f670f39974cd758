// Fields of the configuration that decide how the server proves who it is, and how Penstock does, as libpq names them.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import Type from 'typebox';
import { AUTHORITIES, isAuthority } from './link/authorities.ts';

/** Modes as libpq names them; `prefer` uses TLS where the server offers it. */
export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

function isSslMode(text: string): boolean {
  return SSL_MODES.some((mode) => mode === text);
}

const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----';

/** Text that begins with a certificate, which is all that an authority's field is held to: a bundle may hold comments. */
const Authorities = Type.Refine(
  Type.Refine(
    Type.String({
      maxLength: 500_000,
      description: `Authorities that sign the server's certificate: PEM, or one of ${AUTHORITIES.join(', ')}. Default: the public ones.`,
    }),
    (text) => text === 'gcp' || isAuthority(text) || text.includes(BEGIN_CERTIFICATE),
    () => `must be certificates in PEM, beginning with ${BEGIN_CERTIFICATE}, or one of ${AUTHORITIES.join(', ')}`,
  ),
  (text) => text !== 'gcp',
  () =>
    'cannot be gcp, because a Cloud SQL instance has an authority of its own or of its region; send the certificates in its server-ca.pem',
);

const ClientCertificate = Type.Refine(
  Type.String({
    maxLength: 100_000,
    description: 'Client certificate in PEM, followed by its intermediate certificates. Needs `sslkey`.',
  }),
  isCertificate,
  () => `must be a certificate in PEM, beginning with ${BEGIN_CERTIFICATE}`,
);

const ClientKey = Type.Refine(
  Type.String({
    maxLength: 20_000,
    description: 'Private key of `sslcert` in PEM, without a passphrase. It is encrypted in the store.',
  }),
  (text) => keyOf(text) !== undefined,
  () => 'must be a private key in PEM without a passphrase, beginning with -----BEGIN PRIVATE KEY-----',
);

export const tlsFields = {
  sslmode: Type.Optional(
    Type.Refine(
      Type.String({ description: `One of ${SSL_MODES.join(', ')}, as libpq means them.` }),
      isSslMode,
      () => `must be one of ${SSL_MODES.join(', ')}`,
    ),
  ),
  sslrootcert: Type.Optional(Authorities),
  sslcert: Type.Optional(ClientCertificate),
  sslkey: Type.Optional(ClientKey),
};

export const CLIENT_PAIR =
  'needs sslcert and sslkey together, the key of that very certificate, and an sslmode other than disable';

interface TlsFields {
  readonly sslmode?: string | undefined;
  readonly sslcert?: string | undefined;
  readonly sslkey?: string | undefined;
}

/** Tells whether certificate and key of the client are both absent, or belong together and are used. */
export function hasClientPair({ sslmode, sslcert, sslkey }: TlsFields): boolean {
  if (sslcert === undefined && sslkey === undefined) return true;
  if (sslcert === undefined || sslkey === undefined || sslmode === 'disable') return false;
  const key = keyOf(sslkey);
  // each field complains of what cannot be read
  return key === undefined || !isCertificate(sslcert) || new X509Certificate(sslcert).checkPrivateKey(key);
}

function isCertificate(text: string): boolean {
  return attempt(() => new X509Certificate(text)) !== undefined;
}

function keyOf(text: string) {
  return attempt(() => createPrivateKey(text));
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
