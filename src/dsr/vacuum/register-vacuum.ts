import type { Jobs } from '../../jobs/index.ts';
import { hasErasures, type VacuumDeps, vacuumErased } from './vacuum-erased.ts';

const QUEUE = 'dsr-vacuum';
/** One job, whichever daemon takes it. */
const KEY = 'installation/vacuum';
const EACH_NIGHT = '40 2 * * *';

/** A vacuum may take hours: a job of its own, so that no cadence waits for it. `works` false: another daemon does it. */
export async function registerVacuum(
  { jobs, ...deps }: VacuumDeps & { readonly jobs: Jobs },
  { works }: { readonly works: boolean },
): Promise<void> {
  await jobs.cadence(QUEUE, EACH_NIGHT, async () => {
    if (await hasErasures(deps.store)) await deps.store.transaction((tx) => jobs.enqueue(tx, QUEUE, { key: KEY }));
  });
  if (works) await jobs.work(QUEUE, { concurrency: 1 }, ({ signal }) => vacuumErased(deps, signal));
}
