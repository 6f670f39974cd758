import { readId } from './arguments.ts';
import type { Register } from './command.ts';

const WORKSPACE = [
  '--workspace <id>',
  'id of the workspace; needed where there are several',
  readId('--workspace'),
] as const;

const switches = [
  { name: 'activate', isActive: true, description: 'let its key in again; every daemon follows within seconds' },
  { name: 'deactivate', isActive: false, description: 'answer its key 403; every daemon follows within seconds' },
] as const;

export const registerFeed: Register = (program, context) => {
  const load = () => import('./feed/feeds.ts');
  const feed = program.command('feed').description('list feeds, switch them on or off');
  feed
    .command('list')
    .description('feeds of a workspace with their keys, without secrets')
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
