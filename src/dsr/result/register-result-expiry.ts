import type { Jobs } from '../../jobs/index.ts';
import { expireResultFiles } from './drop-result-files.ts';

/** Nobody can download a file whose time is over; this long at most its bytes outlive it. */
const EACH_QUARTER = '*/15 * * * *';

/** The files of the past are deleted from time to time, by one daemon of all. */
export async function registerResultExpiry(
  deps: Parameters<typeof expireResultFiles>[0] & { readonly jobs: Pick<Jobs, 'cadence'> },
): Promise<void> {
  await deps.jobs.cadence('dsr-results', EACH_QUARTER, async (_dueAt, signal) => {
    await expireResultFiles(deps, signal);
  });
}
