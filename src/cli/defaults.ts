import { listAccounts, listWorkspaces } from '../access/index.ts';
import { AppError, type WorkspaceId, workspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

/** The only account; throws where there is none, or where the command must say which. */
export async function theAccount(sql: Sql): Promise<bigint> {
  return theOnly(await listAccounts(sql), '--account');
}

/** The workspace that was named, else the only one. Throws NOT_FOUND for one that does not exist. */
export async function theWorkspace(sql: Sql, named: bigint | undefined): Promise<WorkspaceId> {
  const all = await listWorkspaces(sql);
  if (named === undefined) return workspaceId(theOnly(all, '--workspace'));
  if (all.some(({ id }) => id === named)) return workspaceId(named);
  throw new AppError('NOT_FOUND', `There is no workspace ${named}; see \`penstock workspace list\`.`);
}

function theOnly(entries: readonly { readonly id: bigint }[], option: string): bigint {
  const [first, second] = entries;
  if (first === undefined) throw new AppError('NOT_FOUND', 'Nothing is set up yet; run `penstock init` first.');
  if (second === undefined) return first.id;
  throw new AppError(
    'VALIDATION_FAILED',
    `There are several; say which with ${option} (see \`penstock workspace list\`).`,
  );
}
