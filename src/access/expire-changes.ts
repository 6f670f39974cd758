import { and, eq, lt } from 'drizzle-orm';
import { workspaceId } from '../kernel/index.ts';
import { type AccessDeps, timeOf } from './access-deps.ts';
import { monthsBefore } from './months-before.ts';
import { readSettings } from './read-settings.ts';
import { auditLog, workspaces } from './tables.ts';

/** Deletes what is older than each workspace's `retention.audit_log_months`, workspace by workspace; entries deleted. */
export async function expireChanges({ store, clock }: Pick<AccessDeps, 'store' | 'clock'>): Promise<number> {
  let deleted = 0;
  for (const { id } of await store.orm.select({ id: workspaces.id }).from(workspaces)) {
    const { retention } = await readSettings(store, workspaceId(id));
    const oldest = monthsBefore(timeOf(clock), retention.auditLogMonths);
    const gone = await store.orm
      .delete(auditLog)
      .where(and(eq(auditLog.workspaceId, id), lt(auditLog.occurredOn, oldest)));
    deleted += gone.rowCount ?? 0;
  }
  return deleted;
}
