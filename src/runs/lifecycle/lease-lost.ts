import { AppError } from '../../kernel/index.ts';
import type { RunLease } from './claim-run.ts';

/** A write that named an old fence: nothing of its transaction may stay. */
export function leaseLost({ runId }: Pick<RunLease, 'runId'>): AppError {
  return new AppError('LEASE_LOST', `The run ${runId} was cancelled or taken over; this worker writes nothing more.`);
}
