import type { WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';

/** Deletes all inherited attributes. Memberships stay, unseen, until a run or the cleanup changes them. */
export async function withdrawAll(tx: Transaction, workspaceId: WorkspaceId): Promise<void> {
  await tx.execute('DELETE FROM group_attributes WHERE workspace_id = $1', [workspaceId]);
}

/** Deletes inherited attributes of these names in one statement, some µs a group. */
export async function withdrawAttributes(
  tx: Transaction,
  workspaceId: WorkspaceId,
  names: readonly string[],
): Promise<void> {
  await tx.execute(
    `UPDATE group_attributes SET attributes = (
       SELECT '{' || coalesce(string_agg(to_json(a.key)::text || ':' || a.value::text, ',' ORDER BY a.number), '') || '}'
       FROM json_each(group_attributes.attributes::json) WITH ORDINALITY AS a (key, value, number)
       WHERE a.key <> ALL ($2::text[]))
     WHERE workspace_id = $1
       AND EXISTS (SELECT 1 FROM json_object_keys(group_attributes.attributes::json) AS k (key) WHERE k.key = ANY ($2))`,
    [workspaceId, names],
  );
}
