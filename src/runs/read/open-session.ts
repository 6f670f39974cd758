import { AppError } from '../../kernel/index.ts';
import { type Connection, revealConfig } from '../../pipelines/index.ts';
import type { Connector, Session } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { RunsDeps } from '../runs-deps.ts';

/** Returns the connector of a connection's provider. Throws CONNECTOR_MISSING. */
export function connectorOf({ fleet }: Pick<RunsDeps, 'fleet'>, { provider }: Pick<Connection, 'provider'>): Connector {
  const connector = fleet[provider];
  if (connector !== undefined) return connector;
  throw new AppError(
    'CONNECTOR_MISSING',
    `This build of Penstock has no connector for ${provider}; it cannot reach the warehouse.`,
  );
}

/** A run, or other work over a connection. */
interface SessionOwner extends Pick<ClaimedRun, 'workspaceId'> {
  readonly snapshot: Pick<RunSnapshot, 'connection'>;
}

interface Opening {
  readonly connector: Connector;
  readonly signal: AbortSignal;
  readonly writes?: boolean;
}

/** Opens a session over the snapshot's connection. Secrets are decrypted only for the session, and stored nowhere. */
export async function openSession(
  deps: RunsDeps,
  { workspaceId, snapshot }: SessionOwner,
  { connector, signal, writes = false }: Opening,
): Promise<Session> {
  const config = revealConfig(deps.keyRing, deps.fleet, { workspaceId, ...snapshot.connection });
  const environment = deps.connectorEnvironment(workspaceId);
  return await connector.open(config, writes ? { ...environment, writes } : environment, signal);
}
