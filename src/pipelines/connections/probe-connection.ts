import { AppError, asAppError, joined, say, wordsOf } from '../../kernel/index.ts';
import type { ProbeStage } from '../../warehouse/index.ts';
import type { Notice } from '../pipelines/pipeline.ts';
import { askWarehouse, type RevealedConnection, revealConnection, type WarehouseDeps } from './ask-warehouse.ts';
import type { Connection } from './connection.ts';

export interface Probed {
  /** Reasons of the fault. Null: healthy. */
  readonly fault: readonly Notice[] | null;
  readonly stages: readonly ProbeStage[];
}

/**
 * Checks by the warehouse that the connection works. An obstacle becomes the fault. With `mustAnswer`, it is thrown as
 * WAREHOUSE_UNREACHABLE instead.
 */
export async function probeConnection(
  deps: WarehouseDeps,
  { mustAnswer = false, ...connection }: RevealedConnection & { readonly mustAnswer?: boolean | undefined },
): Promise<Probed> {
  const probed = await probe(() => askWarehouse(deps, connection, (session, signal) => session.probe(signal)));
  if (mustAnswer) requireAnswer(deps, connection, probed);
  return probed;
}

/**
 * Throws WAREHOUSE_UNREACHABLE where the warehouse did not answer. A provider without a connector cannot answer and is saved
 * nevertheless (D-076).
 */
export function requireAnswer(
  { fleet }: WarehouseDeps,
  { provider }: Pick<RevealedConnection, 'provider'>,
  { fault }: Probed,
) {
  if (fault === null || fleet[provider] === undefined) return;
  const message = say`Nothing was saved, because the warehouse cannot be reached: ${joined(fault)}`;
  throw new AppError('WAREHOUSE_UNREACHABLE', message);
}

/** Probes a stored connection, which need not answer. A secret that cannot be decrypted is a fault, too. */
export async function probeStored(deps: WarehouseDeps, connection: Connection): Promise<Probed> {
  return probe(async () =>
    askWarehouse(deps, revealConnection(deps, connection), (session, signal) => session.probe(signal)),
  );
}

async function probe(ask: () => Promise<readonly ProbeStage[]>): Promise<Probed> {
  try {
    const stages = await ask();
    const failed = stages.filter(({ status }) => status === 'failed');
    return { fault: failed.length === 0 ? null : failed.map(wordsOf), stages };
  } catch (thrown) {
    const words = wordsOf(asAppError(thrown));
    return { fault: [words], stages: [{ name: 'reach', status: 'failed', ...words }] };
  }
}
