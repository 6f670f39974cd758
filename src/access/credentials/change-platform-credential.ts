import { eq } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { platformCredentials } from '../tables.ts';
import { type Role, recordCredentialChange, requireLiveCredential, requireWorkspaces } from './platform-credential.ts';

export interface CredentialRights {
  readonly role: Role;
  /** Workspaces of the credential; undefined stands for every workspace of the account. */
  readonly workspaceIds: readonly WorkspaceId[] | undefined;
}

/**
 * Changes the rights of a credential. Issued tokens follow within seconds, because rights are looked up, not signed. An empty
 * list of workspaces is allowed here: it stops the tokens of a leaked credential.
 */
export async function changePlatformCredential(
  { store, clock }: AccessDeps,
  input: { clientId: string; rights: CredentialRights; actor: Actor },
): Promise<void> {
  const { role, workspaceIds: ids } = input.rights;
  await store.transaction(async (tx) => {
    const row = await requireLiveCredential(tx, input.clientId);
    await requireWorkspaces(tx, row.accountId, ids);
    const workspaceIds = ids === undefined ? null : [...ids];
    await tx.orm
      .update(platformCredentials)
      .set({ role, workspaceIds })
      .where(eq(platformCredentials.clientId, row.clientId));
    const reached = row.workspaceIds === null || workspaceIds === null ? null : union(row.workspaceIds, workspaceIds);
    await recordCredentialChange(
      tx,
      { ...row, workspaceIds: reached },
      {
        actor: input.actor,
        occurredOn: timeOf(clock),
        action: 'platform_credential.changed',
        detail: { before: rightsOf(row), after: rightsOf({ role, workspaceIds }) },
      },
    );
  });
}

const union = (left: readonly WorkspaceId[], right: readonly WorkspaceId[]): WorkspaceId[] => [
  ...new Set([...left, ...right]),
];

const rightsOf = (row: { role: string; workspaceIds: readonly bigint[] | null }) => ({
  role: row.role,
  workspaces: row.workspaceIds ?? 'all',
});
