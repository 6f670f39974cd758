import { readId, readSwitch } from './arguments.ts';
import type { Register } from './command.ts';

const ACCOUNT = ['--account <id>', 'id of the account; needed where there are several', readId('--account')] as const;

export const registerWorkspace: Register = (program, context) => {
  const load = () => import('./workspace/workspaces.ts');
  const workspace = program
    .command('workspace')
    .description('list and make workspaces, switch warehouse sync on or off');
  workspace
    .command('list')
    .description('every workspace with its account')
    .action(async () => (await load()).list(context));
  workspace
    .command('create')
    .description('make a workspace in an account')
    .argument('<name>')
    .option(...ACCOUNT)
    .action(async (name: string, options: { account?: bigint }) =>
      (await load()).create(context, { name, ...options }),
    );
  workspace
    .command('provision')
    .description('switch warehouse sync on or off for an account and all its workspaces')
    .argument('<on|off>', 'off: its endpoints answer 403', readSwitch)
    .option(...ACCOUNT)
    .action(async (isOn: boolean, options: { account?: bigint }) =>
      (await load()).provision(context, { isOn, ...options }),
    );
};
