import { readId, readSwitch } from './arguments.ts';
import type { Register } from './command.ts';

const ACCOUNT = ['--account <id>', 'id of the account; required if there are several', readId('--account')] as const;

export const registerWorkspace: Register = (program, context) => {
  const load = () => import('./workspace/workspaces.ts');
  const workspace = program
    .command('workspace')
    .description('list and create workspaces, switch warehouse sync on or off');
  workspace
    .command('list')
    .description('list all workspaces with their account')
    .action(async () => (await load()).list(context));
  workspace
    .command('create')
    .description('create a workspace in an account')
    .argument('<name>')
    .option(...ACCOUNT)
    .action(async (name: string, options: { account?: bigint }) =>
      (await load()).create(context, { name, ...options }),
    );
  workspace
    .command('provision')
    .description('switch warehouse sync on or off for an account and all its workspaces')
    .argument('<on|off>', 'off: its endpoints answer with 403', readSwitch)
    .option(...ACCOUNT)
    .action(async (isOn: boolean, options: { account?: bigint }) =>
      (await load()).provision(context, { isOn, ...options }),
    );
};
