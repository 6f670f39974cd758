// Names of staging tables: whose they are can be read from them, so that those of runs that were killed can be told from
// those of runs that go on, also where several installations share a warehouse.
import { hash } from 'node:crypto';
import type { Session } from '../../warehouse/index.ts';
import type { ClaimedRun, RunLease } from '../claim-run.ts';
import type { EngineDeps } from '../engine-deps.ts';

const MARK_DIGITS = 8;

/** `penstock_stg_<mark>_`: the mark is the installation's and workspace's own. */
function prefixOf({ ledgerKey }: Pick<EngineDeps, 'ledgerKey'>, { workspaceId }: Pick<RunLease, 'workspaceId'>) {
  const mark = hash('sha256', `${ledgerKey.reveal()}\nstaging\n${workspaceId}`, 'hex').slice(0, MARK_DIGITS);
  return `penstock_stg_${mark}_`;
}

/** Carries run and fence: two workers of one run never share a table. */
export function stagingName(
  deps: Pick<EngineDeps, 'ledgerKey'>,
  lease: Pick<RunLease, 'workspaceId' | 'runId' | 'fence'>,
): string {
  return `${prefixOf(deps, lease)}${lease.runId}_${lease.fence}`;
}

export interface Janitor {
  readonly claimed: ClaimedRun;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/** Drops what runs of this workspace left behind that nobody works on any more under that fence. */
export async function dropLeftovers(deps: EngineDeps, { claimed, session, signal }: Janitor): Promise<void> {
  const prefix = prefixOf(deps, claimed);
  const names = (await session.writeBack?.listStaging(prefix, signal)) ?? [];
  if (names.length === 0) return;
  const alive = await runningNames(deps, claimed);
  const dead = names.filter((name) => !alive.has(name));
  if (dead.length > 0) await session.writeBack?.dropStaging(dead, signal);
}

async function runningNames(deps: EngineDeps, { workspaceId }: ClaimedRun): Promise<ReadonlySet<string>> {
  const rows = await deps.store.query<{ id: bigint; fence: number }>(
    "SELECT id, fence FROM pipeline_runs WHERE workspace_id = $1 AND status = 'running'",
    [workspaceId],
  );
  return new Set(rows.map(({ id, fence }) => stagingName(deps, { workspaceId, runId: id, fence })));
}
