import { listFeeds, switchFeed } from '../../access/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { asOperator } from '../operator.ts';

const COLUMNS = ['id', 'name', 'module', 'key', 'state', 'created_on'];

export async function list(context: CommandContext, { workspace }: { readonly workspace?: bigint }): Promise<void> {
  const rows = await asOperator(context, async ({ store }) => listFeeds(store, await theWorkspace(store, workspace)));
  context.output().rows(
    COLUMNS,
    rows.map(({ id, name, moduleName, key, isActive, createdOn }) => ({
      id,
      name,
      module: moduleName,
      key,
      state: isActive ? 'active' : 'inactive',
      created_on: createdOn.toISOString(),
    })),
  );
}

export async function switchTo(
  context: CommandContext,
  { id, isActive, workspace }: { readonly id: bigint; readonly isActive: boolean; readonly workspace?: bigint },
): Promise<void> {
  await asOperator(context, async (operator) => {
    const workspaceId = await theWorkspace(operator.store, workspace);
    await switchFeed(operator, { workspaceId, id, isActive, actor: operator.actor });
  });
  context.output().object({ id, state: isActive ? 'active' : 'inactive' });
}
