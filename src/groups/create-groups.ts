import type { Jobs } from '../jobs/index.ts';
import { eachApart, workspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { RunDeps } from './groups-deps.ts';
import { GROUPS_QUEUE, requestWeeklyRun } from './request-run.ts';
import { workGroupRuns } from './run/work-runs.ts';

const CADENCE = 'groups';
/** Groups run on Mondays at 00:00 UTC (D-072). */
const WEEKLY_CRON = '0 0 * * 1';

/** One daemon's part in the groups of all workspaces. */
export interface Groups {
  /** Registers the handlers of the jobs: weekly, and whenever a run was requested. */
  register(): Promise<void>;
}

export function createGroups({ jobs, ...deps }: RunDeps & { readonly jobs: Jobs }): Groups {
  return {
    async register() {
      await jobs.work(GROUPS_QUEUE, { concurrency: 1 }, ({ key, signal, complete }) =>
        workGroupRuns(deps, { workspaceId: workspaceId(BigInt(key.slice(0, key.indexOf('/')))), signal, complete }),
      );
      await jobs.cadence(CADENCE, WEEKLY_CRON, (dueOn) => requestWeeklyRuns({ ...deps, jobs }, dueOn));
    },
  };
}

/** Requests a run for every workspace with a definition. A second request for the same Monday changes nothing. */
export async function requestWeeklyRuns(deps: Parameters<typeof requestWeeklyRun>[0], dueOn: Date): Promise<void> {
  await eachApart(await definedWorkspaces(deps.store), (id) =>
    requestWeeklyRun(deps, { workspaceId: workspaceId(id), dueOn }),
  );
}

async function definedWorkspaces(store: Store): Promise<readonly bigint[]> {
  const rows = await store.query<{ readonly id: bigint }>(
    '/* across workspaces: the weekly run */ SELECT workspace_id AS id FROM group_definitions ORDER BY workspace_id',
  );
  return rows.map(({ id }) => id);
}
