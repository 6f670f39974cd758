import type { Command } from 'commander';
import { readCount, readId } from './arguments.ts';
import type { Register } from './command.ts';

interface WorkspaceOption {
  readonly workspace?: bigint;
}

export const registerGroups: Register = (program, context) => {
  const load = () => import('./groups/runs.ts');
  const groups = program.command('groups').description('run the groups of a workspace now, and see what runs did');
  inWorkspace(
    groups.command('run').description('find the groups now instead of on Monday, and wait for the end'),
  ).action(async (options: WorkspaceOption) => (await load()).runFromCommand(context, options));
  inWorkspace(groups.command('runs').description('runs of a workspace, the newest first'))
    .option('--limit <count>', 'at most so many', readCount(1000), 20)
    .action(async (options: WorkspaceOption & { limit: number }) => (await load()).listFromCommand(context, options));
  inWorkspace(
    groups.command('show').description('one run, by environment').argument('<run>', 'id of the run', readId('<run>')),
  ).action(async (id: bigint, options: WorkspaceOption) => (await load()).showFromCommand(context, { id, ...options }));
};

function inWorkspace(command: Command): Command {
  return command.option(
    '--workspace <id>',
    'id of the workspace; needed where there are several',
    readId('--workspace'),
  );
}
