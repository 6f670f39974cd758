import Type, { type Static } from 'typebox';
import { isHost } from '../_shared/host-name.ts';
import { DEFAULT_PORT } from './facts.ts';

/** Modes as libpq names them; `prefer` uses TLS where the server offers it. */
export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function isSslMode(text: string): boolean {
  return SSL_MODES.some((mode) => mode === text);
}

/** A name as PostgreSQL accepts it: 63 bytes, no zero byte. */
const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: 127 }),
  (text) => !text.includes('\0'),
  () => 'must not contain U+0000',
);

/** Configuration of Gamma. D-079 says which fields are required; `sslmode` and `sslrootcert` are extensions. */
export const configSchema = Type.Object(
  {
    host: Type.Refine(
      Type.String({ minLength: 1, maxLength: 253 }),
      isHost,
      () => 'must be a host name or an address, without scheme, port or path',
    ),
    port: Type.Optional(Type.Refine(Type.String(), isPort, () => 'must be a port from 1 to 65535, in quotes')),
    database: Name,
    user: Name,
    password: Name,
    // The specification gives no purpose for the role. It is stored and answered; reading needs no role.
    aws_iam_role_arn: Type.Optional(Type.String({ maxLength: 2048 })),
    sslmode: Type.Optional(Type.Refine(Type.String(), isSslMode, () => `must be one of ${SSL_MODES.join(', ')}`)),
    /** Certificates in PEM that sign the server's; by default those of the public authorities. */
    sslrootcert: Type.Optional(
      Type.Refine(
        Type.String({ maxLength: 500_000 }),
        (text) => text.includes('-----BEGIN CERTIFICATE-----'),
        () => 'must be certificates in PEM, beginning with -----BEGIN CERTIFICATE-----',
      ),
    ),
  },
  { additionalProperties: false },
);

export type RedshiftConfig = Static<typeof configSchema>;

export function targetOf({ host, port = DEFAULT_PORT }: RedshiftConfig): {
  readonly host: string;
  readonly port: number;
} {
  return { host, port: Number(port) };
}
