import type { Jobs } from '../../jobs/index.ts';
import { hasUnvacuumedErasures, type VacuumDeps, vacuumAfterErasures } from './vacuum-after-erasures.ts';

const QUEUE = 'dsr-vacuum';
/** Key of the one job, shared by all daemons. */
const KEY = 'installation/vacuum';
const EACH_NIGHT = '40 2 * * *';

/**
 * Registers the nightly vacuum. It is a job of its own, because it may take hours and no cadence should wait for it. Where
 * `works` is false, another daemon runs it.
 */
export async function registerVacuum(
  { jobs, ...deps }: VacuumDeps & { readonly jobs: Jobs },
  { works }: { readonly works: boolean },
): Promise<void> {
  await jobs.cadence(QUEUE, EACH_NIGHT, async () => {
    if (await hasUnvacuumedErasures(deps.store))
      await deps.store.transaction((tx) => jobs.enqueue(tx, QUEUE, { key: KEY }));
  });
  if (works) await jobs.work(QUEUE, { concurrency: 1 }, ({ signal }) => vacuumAfterErasures(deps, signal));
}
