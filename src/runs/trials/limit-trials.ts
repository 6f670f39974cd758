import { AppError, type WorkspaceId } from '../../kernel/index.ts';

/** Previews and dry-runs under way at once: of one workspace, and of all in this daemon. */
const MOST_OF_WORKSPACE = 4;
const MOST_OF_ALL = 12;

/** Runs a trial, or throws RATE_LIMITED where too many are under way. */
export type LimitTrials = <Answer>(workspaceId: WorkspaceId, trial: () => Promise<Answer>) => Promise<Answer>;

/**
 * Limits the active trials. Each holds a connection to a warehouse, and DuckDB also one of the threads that gzip, name lookups
 * and files wait for. Without a limit one workspace would take them all.
 */
export function createTrialLimit(): LimitTrials {
  const underWay = new Map<WorkspaceId, number>();
  let all = 0;
  return async (workspaceId, trial) => {
    const own = underWay.get(workspaceId) ?? 0;
    if (own >= MOST_OF_WORKSPACE) throw tooMany(`${own} previews and dry runs of this workspace`);
    if (all >= MOST_OF_ALL) throw tooMany('too many previews and dry runs');
    underWay.set(workspaceId, own + 1);
    all += 1;
    try {
      return await trial();
    } finally {
      all -= 1;
      const left = (underWay.get(workspaceId) ?? 1) - 1;
      if (left === 0) underWay.delete(workspaceId);
      else underWay.set(workspaceId, left);
    }
  };
}

function tooMany(what: string): AppError {
  return new AppError('RATE_LIMITED', `There are ${what} in progress; wait until one has ended.`, {
    retryAfterSeconds: 5,
  });
}
