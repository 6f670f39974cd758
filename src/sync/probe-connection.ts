import { asAppError } from '../kernel/index.ts';
import type { ProbeStage } from '../warehouse/index.ts';
import { askWarehouse, type Reachable, reachable, type WarehouseDeps } from './ask-warehouse.ts';
import type { Connection } from './connection.ts';
import type { Notice } from './pipeline.ts';

export interface Probed {
  /** Why the connection is faulted; null: healthy. */
  readonly fault: readonly Notice[] | null;
  readonly stages: readonly ProbeStage[];
}

/** Asks the warehouse whether the connection works. Never throws: whatever stands in the way is the fault. */
export async function probeConnection(deps: WarehouseDeps, connection: Reachable): Promise<Probed> {
  return probe(() => askWarehouse(deps, connection, (session, signal) => session.probe(signal)));
}

/** As `probeConnection`, for a connection as it is stored: a secret that cannot be decrypted is a fault, too. */
export async function probeStored(deps: WarehouseDeps, connection: Connection): Promise<Probed> {
  return probe(async () => askWarehouse(deps, reachable(deps, connection), (session, signal) => session.probe(signal)));
}

async function probe(ask: () => Promise<readonly ProbeStage[]>): Promise<Probed> {
  try {
    const stages = await ask();
    const failed = stages.filter(({ status }) => status === 'failed');
    return { fault: failed.length === 0 ? null : failed.map(({ message }) => ({ message })), stages };
  } catch (thrown) {
    const { message } = asAppError(thrown);
    return { fault: [{ message }], stages: [{ name: 'reach', status: 'failed', message }] };
  }
}
