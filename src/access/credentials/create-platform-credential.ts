import { AppError, refuse, type Secret, sha256, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { readName } from '../organisations/read-name.ts';
import { requireAccount } from '../organisations/require-account.ts';
import { platformCredentials } from '../tables.ts';
import { generateCredential } from './generate-credential.ts';
import { type Role, recordCredentialChange, requireWorkspaces } from './platform-credential.ts';

export interface NewPlatformCredential {
  readonly accountId: bigint;
  readonly name: string;
  readonly role: Role;
  /** Workspaces of the credential; undefined stands for every workspace of the account, later ones too. */
  readonly workspaceIds: readonly WorkspaceId[] | undefined;
  readonly actor: Actor;
}

/** A new credential, shown once: the store keeps only the SHA-256 of the secret (D-017). */
export interface PlatformSecret {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/**
 * Creates a platform credential. Throws NOT_FOUND without such an account or workspace, and DUPLICATE_ID where a live
 * credential has that name.
 */
export async function createPlatformCredential(
  { store, clock }: AccessDeps,
  input: NewPlatformCredential,
): Promise<PlatformSecret> {
  const named = { ...input, name: readName('name', input.name) };
  if (named.workspaceIds?.length === 0) throw refuse([{ path: 'workspaces', message: 'name at least one, or all.' }]);
  return store.transaction(async (tx) => {
    await requireAccount(tx, named.accountId);
    await requireWorkspaces(tx, named.accountId, named.workspaceIds);
    const made = await insertPlatformCredential(tx, named, timeOf(clock));
    if (made === undefined) {
      throw new AppError('DUPLICATE_ID', `The account already has a credential "${named.name}"; rotate or revoke it.`);
    }
    return made;
  });
}

/** Inserts the credential. Returns undefined where the account has a live credential of that name. */
export async function insertPlatformCredential(
  tx: Transaction,
  { accountId, name, role, workspaceIds, actor }: NewPlatformCredential,
  createdOn: Date,
): Promise<PlatformSecret | undefined> {
  const { id: clientId, secret } = generateCredential();
  const row = { clientId, accountId, name, role, workspaceIds: workspaceIds === undefined ? null : [...workspaceIds] };
  const made = await tx.orm
    .insert(platformCredentials)
    .values({ ...row, secretSha256: sha256(secret.reveal()), createdOn })
    .onConflictDoNothing()
    .returning({ clientId: platformCredentials.clientId });
  if (made.length === 0) return undefined;
  await recordCredentialChange(tx, row, {
    actor,
    occurredOn: createdOn,
    action: 'platform_credential.created',
    detail: { name, role, workspaces: row.workspaceIds ?? 'all' },
  });
  return { clientId, clientSecret: secret };
}
