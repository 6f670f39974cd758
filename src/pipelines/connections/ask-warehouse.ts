import { AppError } from '../../kernel/index.ts';
import type { Session } from '../../warehouse/index.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import type { Connection } from './connection.ts';
import { revealConfig } from './connection-config.ts';
import { connectorMissing } from './provider.ts';

/** Dependencies for reaching a warehouse. `PipelinesDeps` has them, and so has a command. */
export type WarehouseDeps = Pick<
  PipelinesDeps,
  'keyRing' | 'fleet' | 'clock' | 'connectorEnvironment' | 'warehouseWaitMs'
>;

/** A connection with its configuration as a connector opens it, before or after it was saved. */
export type RevealedConnection = Pick<Connection, 'workspaceId' | 'provider' | 'config'>;

/** A connection to ask. `signal` aborts when the caller disconnects. */
export type AskedConnection = RevealedConnection & { readonly signal?: AbortSignal };

/** Reveals the secrets of a stored connection. Throws SECRET_UNREADABLE. */
export function revealConnection({ keyRing, fleet }: WarehouseDeps, connection: Connection): RevealedConnection {
  return { ...connection, config: revealConfig(keyRing, fleet, connection) };
}

/**
 * Opens a session, passes it to `ask` and closes it, all within `warehouseWaitMs`. Throws the connector's errors,
 * CONNECTOR_MISSING, WAREHOUSE_TIMEOUT when the time is over, and the reason of the caller's signal.
 */
export async function askWarehouse<Answer>(
  deps: WarehouseDeps,
  { workspaceId, provider, config, signal: caller }: AskedConnection,
  ask: (session: Session, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const connector = deps.fleet[provider];
  if (connector === undefined) throw new AppError('CONNECTOR_MISSING', connectorMissing(provider));
  const patience = new AbortController();
  const answered = new AbortController();
  const timer = deps.clock.sleep(deps.warehouseWaitMs, answered.signal).then(
    () => patience.abort(timeoutError(deps.warehouseWaitMs)),
    () => undefined,
  );
  try {
    const signal = caller === undefined ? patience.signal : AbortSignal.any([patience.signal, caller]);
    await using session = await connector.open(config, deps.connectorEnvironment(workspaceId), signal);
    return await ask(session, signal);
  } finally {
    answered.abort();
    await timer;
  }
}

function timeoutError(waitedMs: number): AppError {
  const message = `The warehouse did not answer within ${waitedMs / 1000} seconds; try again when it is less busy.`;
  return new AppError('WAREHOUSE_TIMEOUT', message);
}
