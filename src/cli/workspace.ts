import { createWorkspace, listWorkspaces, provisionAccount } from '../access/index.ts';
import { refuse } from '../kernel/index.ts';
import { readId } from './arguments.ts';
import type { CommandContext, Register } from './command.ts';
import { theAccount } from './defaults.ts';
import { asOperator } from './operator.ts';

const COLUMNS = ['id', 'name', 'account', 'account_id', 'organisation', 'warehouse_sync', 'created_on'];

export const registerWorkspace: Register = (program, context) => {
  const workspace = program
    .command('workspace')
    .description('list and make workspaces, switch warehouse sync on or off');
  workspace
    .command('list')
    .description('every workspace with its account')
    .action(() => list(context));
  workspace
    .command('create')
    .description('make a workspace in an account')
    .argument('<name>')
    .option('--account <id>', 'id of the account; needed where there are several', readId('--account'))
    .action((name: string, options: { account?: bigint }) => create(context, { name, ...options }));
  workspace
    .command('provision')
    .description('switch warehouse sync on or off for an account and all its workspaces')
    .argument('<on|off>', 'off: its endpoints answer 403')
    .option('--account <id>', 'id of the account; needed where there are several', readId('--account'))
    .action((word: string, options: { account?: bigint }) => provision(context, { word, ...options }));
};

async function list(context: CommandContext): Promise<void> {
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

async function create(context: CommandContext, { name, account }: { name: string; account?: bigint }): Promise<void> {
  const id = await asOperator(context, async (operator) =>
    createWorkspace(operator, {
      name,
      accountId: account ?? (await theAccount(operator.store)),
      actor: operator.actor,
    }),
  );
  context.output().object({ workspace_id: id, name });
}

async function provision(
  context: CommandContext,
  { word, account }: { word: string; account?: bigint },
): Promise<void> {
  const warehouseSync = readSwitch(word);
  await asOperator(context, async (operator) =>
    provisionAccount(operator, {
      accountId: account ?? (await theAccount(operator.store)),
      warehouseSync,
      actor: operator.actor,
    }),
  );
  context.output().object({ warehouse_sync: word });
}

function readSwitch(word: string): boolean {
  if (word === 'on' || word === 'off') return word === 'on';
  throw refuse([{ path: 'on|off', message: `"${word}" is neither on nor off.` }]);
}
