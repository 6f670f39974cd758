import { and, eq } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import { feeds } from '../tables.ts';
import { requireFeed } from './feed.ts';

/** Activates or stops a feed. Every daemon refuses the key of a stopped feed within seconds. Throws NOT_FOUND. */
export async function switchFeed(
  { store, clock }: AccessDeps,
  input: { workspaceId: WorkspaceId; id: bigint; isActive: boolean; actor: Actor },
): Promise<void> {
  const { workspaceId, id, isActive, actor } = input;
  await store.transaction(async (tx) => {
    const feed = await requireFeed(tx, workspaceId, id);
    if (feed.isActive === isActive) return;
    await tx.orm
      .update(feeds)
      .set({ isActive })
      .where(and(eq(feeds.workspaceId, workspaceId), eq(feeds.id, id)));
    await recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: timeOf(clock),
      action: isActive ? 'feed.activated' : 'feed.deactivated',
      resource: `feed/${id}`,
      detail: { name: feed.name },
    });
  });
}
