import { eq } from 'drizzle-orm';
import { recordChange } from '../access/index.ts';
import type { Caller } from '../http/index.ts';
import { loadDefinition } from './definition.ts';
import { lockGroups } from './group-lock.ts';
import type { GroupsDeps } from './groups-deps.ts';
import { enqueueRuns } from './request-run.ts';
import { groupDefinitions } from './tables.ts';
import { stopRuns } from './update-run.ts';
import { withdrawAll } from './withdraw.ts';

/**
 * Deletes the definition. Its attributes leave all profiles at once, and a job deletes the memberships. Throws
 * NOT_FOUND.
 */
export async function deleteDefinition(
  { store, clock, jobs }: GroupsDeps,
  { workspaceId, actor }: Caller,
  id: string,
): Promise<void> {
  const now = new Date(clock.nowMs());
  await store.transaction(async (tx) => {
    await lockGroups(tx, workspaceId);
    await loadDefinition(tx, { workspaceId, id });
    await tx.orm.delete(groupDefinitions).where(eq(groupDefinitions.workspaceId, workspaceId));
    await withdrawAll(tx, workspaceId);
    await stopRuns(tx, { workspaceId, clock, reason: `The group definition "${id}" was deleted.` });
    await enqueueRuns(tx, jobs, { workspaceId });
    await recordChange(tx, {
      workspaceId,
      occurredOn: now,
      actor,
      action: 'group.deleted',
      resource: `group/${id}`,
      detail: {},
    });
  });
}
