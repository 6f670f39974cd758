import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import { type Connection, revealConfig } from '../../pipelines/index.ts';
import type { Connector, Session } from '../../warehouse/index.ts';
import type { RunsDeps } from '../runs-deps.ts';

/** Returns the connector of a connection's provider. Throws CONNECTOR_MISSING. */
export function connectorOf({ fleet }: Pick<RunsDeps, 'fleet'>, { provider }: Pick<Connection, 'provider'>): Connector {
  const connector = fleet[provider];
  if (connector !== undefined) return connector;
  throw new AppError(
    'CONNECTOR_MISSING',
    `This build of Penstock has no connector for ${provider}. Use another provider, or install a build with this connector.`,
  );
}

/** Returns a text for the database to which a connection leads, whoever signs in. Texts of different databases differ. */
export function placeOf(
  { placeFields, secretFields }: Pick<Connector, 'placeFields' | 'secretFields'>,
  { provider, config }: Pick<Connection, 'provider' | 'config'>,
): string {
  const open = () => Object.keys(config).filter((field) => !secretFields.includes(field));
  const fields = placeFields ?? open().sort();
  return JSON.stringify([provider, ...fields.map((field) => config[field] ?? null)]);
}

/** Returns the connector of a connection that leads to the database `place`. Undefined: the connection leads elsewhere now. */
export function connectorAt(
  deps: Pick<RunsDeps, 'fleet'>,
  connection: Pick<Connection, 'provider' | 'config'>,
  place: string,
): Connector | undefined {
  const connector = connectorOf(deps, connection);
  return placeOf(connector, connection) === place ? connector : undefined;
}

interface Opening {
  readonly workspaceId: WorkspaceId;
  readonly connection: Pick<Connection, 'id' | 'provider' | 'config'>;
  readonly connector: Connector;
  readonly signal: AbortSignal;
  /** The session also writes MPIDs back. */
  readonly writes: boolean;
}

/** Opens a session over a connection. Secrets are decrypted only for the session, and stored nowhere. */
export async function openSession(deps: RunsDeps, opening: Opening): Promise<Session> {
  const { workspaceId, connection, connector, signal, writes } = opening;
  const config = revealConfig(deps.keyRing, deps.fleet, { workspaceId, ...connection });
  const environment = deps.connectorEnvironment(workspaceId);
  return await connector.open(config, writes ? { ...environment, writes } : environment, signal);
}
