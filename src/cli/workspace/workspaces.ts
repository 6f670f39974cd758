import { createWorkspace, listWorkspaces, provisionAccount } from '../../access/index.ts';
import type { CommandContext } from '../command.ts';
import { theAccount } from '../defaults.ts';
import { asOperator } from '../operator.ts';

const COLUMNS = ['id', 'name', 'account', 'account_id', 'organisation', 'warehouse_sync', 'created_on'];

/** Lists every workspace with its account. */
export async function list(context: CommandContext): Promise<void> {
  const entries = await asOperator(context, ({ store }) => listWorkspaces(store));
  const rows = entries.map((entry) => ({
    id: entry.id,
    name: entry.name,
    account: entry.account,
    account_id: entry.accountId,
    organisation: entry.organisation,
    warehouse_sync: entry.warehouseSyncProvisioned ? 'on' : 'off',
    created_on: entry.createdOn.toISOString(),
  }));
  context.output().rows(COLUMNS, rows);
}

export async function create(
  context: CommandContext,
  { name, account }: { name: string; account?: bigint },
): Promise<void> {
  const id = await asOperator(context, async (operator) =>
    createWorkspace(operator, {
      name,
      accountId: account ?? (await theAccount(operator.store)),
      actor: operator.actor,
    }),
  );
  context.output().object({ workspace_id: id, name });
}

/** Switches warehouse sync on or off for an account. */
export async function provision(
  context: CommandContext,
  { isOn, account }: { readonly isOn: boolean; readonly account?: bigint },
): Promise<void> {
  const accountId = await asOperator(context, async (operator) => {
    const id = account ?? (await theAccount(operator.store));
    await provisionAccount(operator, { accountId: id, warehouseSync: isOn, actor: operator.actor });
    return id;
  });
  context.output().object({ account_id: accountId, warehouse_sync: isOn ? 'on' : 'off' });
}
