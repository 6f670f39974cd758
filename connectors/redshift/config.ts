import Type, { type Static } from 'typebox';
import { isHost } from '../_shared/host-name.ts';
import { awsFields, signInComplaint } from './aws/fields.ts';
import { DEFAULT_PORT } from './facts.ts';
import { CLIENT_PAIR, hasClientPair, tlsFields } from './tls-fields.ts';

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** A name as PostgreSQL accepts it: 63 bytes, no zero byte. */
const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: 127 }),
  (text) => !text.includes('\0'),
  () => 'must not contain U+0000',
);

/** Configuration of Gamma. D-079 says which fields are required; those of TLS and AWS are extensions. */
const fieldsSchema = Type.Object(
  {
    host: Type.Refine(
      Type.String({ minLength: 1, maxLength: 253 }),
      isHost,
      () => 'must be a host name or an address, without scheme, port or path',
    ),
    port: Type.Optional(Type.Refine(Type.String(), isPort, () => 'must be a port from 1 to 65535, in quotes')),
    database: Name,
    user: Type.Optional(Name),
    password: Type.Optional(Name),
    ...awsFields,
    // The specification gives no purpose for the role. It is stored and answered; reading needs no role.
    aws_iam_role_arn: Type.Optional(Type.String({ maxLength: 2048 })),
    ...tlsFields,
  },
  { additionalProperties: false },
);

const withClientPair = Type.Refine(fieldsSchema, hasClientPair, () => CLIENT_PAIR);

export const configSchema = Type.Refine(
  withClientPair,
  (config) => signInComplaint(config) === undefined,
  (config) => signInComplaint(config) ?? '',
);

export type RedshiftConfig = Static<typeof configSchema>;

export function targetOf({ host, port = DEFAULT_PORT }: RedshiftConfig): {
  readonly host: string;
  readonly port: number;
} {
  return { host, port: Number(port) };
}
