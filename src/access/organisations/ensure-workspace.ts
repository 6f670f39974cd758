import { and, eq } from 'drizzle-orm';
import { workspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Actor } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import { workspaces } from '../tables.ts';
import { type Ensured, ensured } from './ensured.ts';

/** Creates the workspace unless the account has one of that name. The creation is the first entry of its audit log. */
export async function ensureWorkspace(
  tx: Transaction,
  row: { accountId: bigint; name: string; createdOn: Date },
  actor: Actor,
): Promise<Ensured> {
  const id = { id: workspaces.id };
  const made = await tx.orm.insert(workspaces).values(row).onConflictDoNothing().returning(id);
  const sameName = and(eq(workspaces.accountId, row.accountId), eq(workspaces.name, row.name));
  const workspace = await ensured(made, () => tx.orm.select(id).from(workspaces).where(sameName));
  if (workspace.isNew) {
    await recordChange(tx, {
      workspaceId: workspaceId(workspace.id),
      occurredOn: row.createdOn,
      actor,
      action: 'workspace.created',
      resource: `workspace/${workspace.id}`,
      detail: { name: row.name, account_id: row.accountId },
    });
  }
  return workspace;
}
