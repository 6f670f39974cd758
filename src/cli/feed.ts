import { readId } from './arguments.ts';
import type { Register } from './command.ts';

const WORKSPACE = [
  '--workspace <id>',
  'id of the workspace; required if there are several',
  readId('--workspace'),
] as const;

const switches = [
  {
    name: 'activate',
    isActive: true,
    description: 'accept the key of a feed again; every daemon follows within seconds',
  },
  {
    name: 'deactivate',
    isActive: false,
    description: 'refuse the key of a feed with 403; every daemon follows within seconds',
  },
] as const;

export const registerFeed: Register = (program, context) => {
  const load = () => import('./feed/feeds.ts');
  const feed = program.command('feed').description('list feeds, activate and deactivate them');
  feed
    .command('list')
    .description('list feeds of a workspace with their keys, without secrets')
    .option(...WORKSPACE)
    .action(async (options: { workspace?: bigint }) => (await load()).list(context, options));
  for (const { name, isActive, description } of switches) {
    feed
      .command(name)
      .description(description)
      .argument('<id>', 'id of the feed', readId('<id>'))
      .option(...WORKSPACE)
      .action(async (id: bigint, options: { workspace?: bigint }) =>
        (await load()).switchTo(context, { id, isActive, ...options }),
      );
  }
};
