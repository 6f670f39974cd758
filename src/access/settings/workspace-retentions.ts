import { type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { workspaces } from '../tables.ts';
import { monthsBefore } from './months-before.ts';
import { readSettings } from './read-settings.ts';

const DAY_MS = 86_400_000;

/** Times before which a workspace keeps nothing, by kind, from its `retention` settings. */
export interface Retention {
  readonly workspaceId: WorkspaceId;
  readonly batchesSince: Date;
  readonly runsSince: Date;
  readonly failedRecordsSince: Date;
  readonly changesSince: Date;
}

export async function workspaceIds(store: Sql): Promise<readonly WorkspaceId[]> {
  const rows = await store.orm.select({ id: workspaces.id }).from(workspaces);
  return rows.map(({ id }) => workspaceId(id));
}

/** Reads what the workspace keeps; times are counted from now. */
export async function readRetention(
  { store, clock }: Pick<AccessDeps, 'store' | 'clock'>,
  id: WorkspaceId,
): Promise<Retention> {
  const now = timeOf(clock);
  const { retention } = await readSettings(store, id, {});
  return {
    workspaceId: id,
    batchesSince: monthsBefore(now, retention.batchesMonths),
    runsSince: monthsBefore(now, retention.runsMonths),
    failedRecordsSince: new Date(now.getTime() - retention.failedRecordsDays * DAY_MS),
    changesSince: monthsBefore(now, retention.auditLogMonths),
  };
}
