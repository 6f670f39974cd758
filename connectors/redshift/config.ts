import Type, { type Static } from 'typebox';
import { isHost } from '../_shared/host-name.ts';
import { awsFields, s3Complaint, s3Fields, signInComplaint } from './aws/fields.ts';
import { DEFAULT_PORT } from './facts.ts';
import { SESSION_ATTRIBUTES } from './session-attributes.ts';
import { CLIENT_PAIR, hasClientPair, tlsFields } from './tls-fields.ts';
import { tunnelComplaint, tunnelFields } from './tunnel/fields.ts';

/** Most hosts of a connection, each with a time-out of its own. */
const MOST_HOSTS = 8;

function areHosts(text: string): boolean {
  const hosts = text.split(',');
  return hosts.length <= MOST_HOSTS && hosts.every(isHost);
}

function arePorts(text: string): boolean {
  return text.split(',').every((port) => /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535);
}

/** Tells whether there is one port for all hosts, or one for each. */
function fitsHosts({
  host,
  port = DEFAULT_PORT,
}: {
  readonly host: string;
  readonly port?: string | undefined;
}): boolean {
  const ports = port.split(',').length;
  return ports === 1 || ports === host.split(',').length;
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
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'Host name or address. Several are separated by commas and tried in order.',
      }),
      areHosts,
      () =>
        `must be a host name or an address, without scheme, port or path, or up to ${MOST_HOSTS} of them with commas between`,
    ),
    port: Type.Optional(
      Type.Refine(
        Type.String({ description: 'One port for all hosts, or one for each, separated by commas.' }),
        arePorts,
        () => 'must be a port from 1 to 65535, in quotes, or one for each host with commas between',
      ),
    ),
    target_session_attrs: Type.Optional(
      Type.Refine(
        Type.String({
          description: `Which server is accepted: one of ${SESSION_ATTRIBUTES.join(', ')}, as libpq means them.`,
        }),
        (text) => SESSION_ATTRIBUTES.some((name) => name === text),
        () => `must be one of ${SESSION_ATTRIBUTES.join(', ')}`,
      ),
    ),
    database: Name,
    user: Type.Optional(Name),
    password: Type.Optional(Name),
    ...awsFields,
    ...s3Fields,
    // The specification gives no purpose for the role. It is stored and answered; reading needs no role.
    aws_iam_role_arn: Type.Optional(Type.String({ maxLength: 2048 })),
    ...tlsFields,
    ...tunnelFields,
  },
  { additionalProperties: false },
);

const withClientPair = Type.Refine(fieldsSchema, hasClientPair, () => CLIENT_PAIR);

const withSignIn = Type.Refine(
  withClientPair,
  (config) => signInComplaint(config) === undefined,
  (config) => signInComplaint(config) ?? '',
);

const withBucket = Type.Refine(
  withSignIn,
  (config) => s3Complaint(config) === undefined,
  (config) => s3Complaint(config) ?? '',
);

const withPorts = Type.Refine(withBucket, fitsHosts, () => 'needs one port for all hosts, or one for each');

export const configSchema = Type.Refine(
  withPorts,
  (config) => tunnelComplaint(config) === undefined,
  (config) => tunnelComplaint(config) ?? '',
);

export type RedshiftConfig = Static<typeof configSchema>;

/** Returns the servers in the order in which they are tried. */
export function targetsOf({ host, port = DEFAULT_PORT }: Pick<RedshiftConfig, 'host' | 'port'>): readonly {
  readonly host: string;
  readonly port: number;
}[] {
  const ports = port.split(',');
  return host.split(',').map((name, index) => ({ host: name, port: Number(ports[index] ?? ports[0]) }));
}
