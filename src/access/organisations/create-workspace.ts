import { AppError, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { ensureWorkspace } from './ensure-workspace.ts';
import { readName } from './read-name.ts';
import { requireAccount } from './require-account.ts';

/**
 * Creates a workspace and returns its id.
 * Throws NOT_FOUND without such an account, and DUPLICATE_ID where the account has a workspace of that name.
 */
export async function createWorkspace(
  { store, clock }: AccessDeps,
  input: { accountId: bigint; name: string; actor: Actor },
): Promise<WorkspaceId> {
  const { accountId, actor } = input;
  const name = readName('name', input.name);
  return store.transaction(async (tx) => {
    await requireAccount(tx, accountId);
    const { id, isNew } = await ensureWorkspace(tx, { accountId, name, createdOn: timeOf(clock) }, actor);
    if (!isNew) throw new AppError('DUPLICATE_ID', `The workspace "${name}" exists already, with id ${id}.`);
    return workspaceId(id);
  });
}
