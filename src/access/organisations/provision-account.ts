import { eq } from 'drizzle-orm';
import { workspaceId } from '../../kernel/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import { accounts, workspaces } from '../tables.ts';
import { requireAccount } from './require-account.ts';

/**
 * Switches warehouse sync on or off for an account (D-019). While it is off, its endpoints answer 403. The change is
 * written to the audit log of each workspace of the account. Throws NOT_FOUND without such an account.
 */
export async function provisionAccount(
  { store, clock }: AccessDeps,
  input: { accountId: bigint; warehouseSync: boolean; actor: Actor },
): Promise<void> {
  const { accountId, warehouseSync, actor } = input;
  await store.transaction(async (tx) => {
    await requireAccount(tx, accountId);
    await tx.orm.update(accounts).set({ warehouseSyncProvisioned: warehouseSync }).where(eq(accounts.id, accountId));
    const rows = await tx.orm.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.accountId, accountId));
    for (const { id } of rows) {
      await recordChange(tx, {
        workspaceId: workspaceId(id),
        occurredOn: timeOf(clock),
        actor,
        action: warehouseSync ? 'account.warehouse_sync_provisioned' : 'account.warehouse_sync_withdrawn',
        resource: `account/${accountId}`,
        detail: { warehouse_sync_provisioned: warehouseSync },
      });
    }
  });
}
