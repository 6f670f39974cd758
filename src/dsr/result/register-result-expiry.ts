import type { Jobs } from '../../jobs/index.ts';
import { expireResultFiles } from './drop-result-files.ts';

/** Cadence of the cleanup: bytes outlive their file, which cannot be downloaded any more, by this long at most. */
const EACH_QUARTER = '*/15 * * * *';

/** Registers the cleanup of expired result files, run by one daemon of all. */
export async function registerResultExpiry(
  deps: Parameters<typeof expireResultFiles>[0] & { readonly jobs: Pick<Jobs, 'cadence'> },
): Promise<void> {
  await deps.jobs.cadence('dsr-results', EACH_QUARTER, async (_dueAt, signal) => {
    await expireResultFiles(deps, signal);
  });
}
