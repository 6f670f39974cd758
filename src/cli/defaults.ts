import { listAccounts, listWorkspaces } from '../access/index.ts';
import { AppError, type WorkspaceId, workspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

/** Returns the only account. Throws where there is none, or where the command must name one of several. */
export async function theAccount(sql: Sql): Promise<bigint> {
  return theOnly(await listAccounts(sql), '--account');
}

/** Returns the named workspace, else the only one. Throws NOT_FOUND for one that does not exist. */
export async function theWorkspace(sql: Sql, named: bigint | undefined): Promise<WorkspaceId> {
  const all = await listWorkspaces(sql);
  if (named === undefined) return workspaceId(theOnly(all, '--workspace'));
  if (all.some(({ id }) => id === named)) return workspaceId(named);
  throw new AppError('NOT_FOUND', `There is no workspace ${named}; see \`penstock workspace list\`.`);
}

function theOnly(entries: readonly { readonly id: bigint }[], option: string): bigint {
  const [first, second] = entries;
  if (first === undefined) throw new AppError('NOT_FOUND', 'Penstock is not set up yet; run `penstock init` first.');
  if (second === undefined) return first.id;
  throw new AppError(
    'VALIDATION_FAILED',
    `There are several; choose one with ${option} (see \`penstock workspace list\`).`,
  );
}
