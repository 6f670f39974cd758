import type { Command } from 'commander';
import { readCount, readId } from './arguments.ts';
import type { Register } from './command.ts';

interface WorkspaceOption {
  readonly workspace?: bigint;
}

export const registerGroups: Register = (program, context) => {
  const load = () => import('./groups/runs.ts');
  const groups = program.command('groups').description('run the groups of a workspace now, and list runs');
  inWorkspace(
    groups.command('run').description('find the groups now instead of on Monday, and wait until the run ends'),
  ).action(async (options: WorkspaceOption) => (await load()).runFromCommand(context, options));
  inWorkspace(groups.command('runs').description('list runs of a workspace, newest first'))
    .option('--limit <count>', 'maximum number of entries', readCount(1000), 20)
    .action(async (options: WorkspaceOption & { limit: number }) => (await load()).listFromCommand(context, options));
  inWorkspace(
    groups.command('show').description('show a run by environment').argument('<run>', 'id of the run', readId('<run>')),
  ).action(async (id: bigint, options: WorkspaceOption) => (await load()).showFromCommand(context, { id, ...options }));
};

function inWorkspace(command: Command): Command {
  return command.option(
    '--workspace <id>',
    'id of the workspace; required if there are several',
    readId('--workspace'),
  );
}
