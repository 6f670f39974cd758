import Type, { type Static } from 'typebox';
import { AppError } from '../../src/kernel/index.ts';
import { isHost } from '../_shared/host-name.ts';
import { proxyFields } from '../_shared/own-proxy.ts';
import { entraHostOf } from './entra.ts';

/** Tells whether text is an HTTP path: `/sql/1.0/warehouses/0123456789abcdef`, or `sql/protocolv1/o/…` of a cluster. */
function isHttpPath(text: string): boolean {
  return /^\/?[\w.~/-]+(?:\?o=\d+)?$/.test(text) && !text.includes('..');
}

/** A name of Unity Catalog: 255 characters, none of them a control character. */
const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: 255 }),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  (text) => !/[\u0000-\u001f\u007f]/.test(text),
  () => 'must not contain control characters',
);

/** A credential, which travels in a header. */
const Credential = Type.Refine(
  Type.String({ minLength: 1, maxLength: 4096 }),
  (text) => /^[\u0021-\u007e]+$/.test(text),
  () => 'must contain only printable ASCII without spaces',
);

/** A tenant of Microsoft Entra ID: its id or one of its domains. It becomes a part of the token endpoint's path. */
const Tenant = Type.Refine(
  Type.String({ minLength: 1, maxLength: 253 }),
  (text) => /^[0-9A-Za-z](?:[0-9A-Za-z-]|\.(?=[0-9A-Za-z]))*$/.test(text),
  () =>
    'must be the id or a domain of a tenant, such as 72f988bf-86f1-41af-91ab-2d7cd011db47 or contoso.onmicrosoft.com',
);

/**
 * Configuration of Delta: `provider` and `schema`, and as extensions the fields that the driver needs besides. The extensions
 * are optional, so that a connection with the specification's fields can be saved. A connection without a needed extension is
 * faulted with the extension's name (D-079).
 */
export const configSchema = Type.Object(
  {
    // Organization name of the metastore, as the specification calls it. It is stored and answered; reading does not need it.
    provider: Name,
    /** Schema in which statements run: names without a schema are looked up there. */
    schema: Name,
    host: Type.Optional(
      Type.Refine(
        Type.String({ minLength: 1, maxLength: 253 }),
        isHost,
        () => 'must be a host name, without scheme, port or path',
      ),
    ),
    /** HTTP path of the SQL warehouse or cluster, as its page "Connection details" shows it. */
    http_path: Type.Optional(
      Type.Refine(
        Type.String({ minLength: 1, maxLength: 500 }),
        isHttpPath,
        () => 'must be a path such as /sql/1.0/warehouses/0123456789abcdef',
      ),
    ),
    /** A personal access token. */
    token: Type.Optional(Credential),
    /** OAuth machine-to-machine of a service principal, in place of a token: its application id and a secret. */
    client_id: Type.Optional(Credential),
    client_secret: Type.Optional(Credential),
    /** Tenant of a service principal of Microsoft Entra ID. Without it, `client_id` is one of Databricks itself. */
    azure_tenant_id: Type.Optional(Tenant),
    /** Catalog; by default the workspace's own. */
    catalog: Type.Optional(Name),
    ...proxyFields,
  },
  { additionalProperties: false },
);

export type DatabricksConfig = Static<typeof configSchema>;

export const HTTPS_PORT = 443;

/** A service principal of Databricks itself. */
export interface Principal {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A service principal of Microsoft Entra ID, with the host that hands out its tokens. */
export interface EntraPrincipal extends Principal {
  readonly tenantId: string;
  readonly entraHost: string;
}

export type Credentials = { readonly token: string } | Principal | EntraPrincipal;

/** Target of a connection and its credentials. */
export interface Door {
  readonly host: string;
  readonly path: string;
  readonly credentials: Credentials;
}

/** Returns the door. Throws WAREHOUSE_CONFIG that names the missing or superfluous field. */
export function doorOf({ host, http_path: path, ...rest }: DatabricksConfig): Door {
  if (host === undefined) throw lacks('host', 'the workspace’s host, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com');
  if (path === undefined) throw lacks('http_path', 'the HTTP path of a SQL warehouse');
  return { host, path, credentials: credentialsOf(host, rest) };
}

function credentialsOf(host: string, fields: Partial<DatabricksConfig>): Credentials {
  const { token, client_id, client_secret, azure_tenant_id: tenantId } = fields;
  if (token !== undefined) {
    const others = ['client_id', 'client_secret', 'azure_tenant_id'] as const;
    const other = others.find((field) => fields[field] !== undefined);
    if (other === undefined) return { token };
    throw wrong(`config.token is given together with config.${other}; use only one way to sign in.`);
  }
  if (client_id === undefined && client_secret === undefined) {
    throw wrong('config.token is missing; give it, or config.client_id and config.client_secret.');
  }
  if (client_id === undefined) throw lacks('client_id', 'the application id of the service principal');
  if (client_secret === undefined) throw lacks('client_secret', 'an OAuth secret of the service principal');
  const principal = { clientId: client_id, clientSecret: client_secret };
  return tenantId === undefined ? principal : { ...principal, tenantId, entraHost: requireEntraHost(host) };
}

function requireEntraHost(host: string): string {
  const entraHost = entraHostOf(host);
  if (entraHost !== undefined) return entraHost;
  throw wrong(
    'config.azure_tenant_id is given, but config.host is no workspace of Azure (it does not end in .azuredatabricks.net). ' +
      'Remove config.azure_tenant_id and sign in as a service principal of Databricks itself.',
  );
}

function lacks(field: string, meaning: string): AppError {
  return wrong(`config.${field} is missing; give ${meaning}.`);
}

function wrong(message: string): AppError {
  return new AppError('WAREHOUSE_CONFIG', message);
}
