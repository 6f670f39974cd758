import { type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { insertPlatformCredential, type PlatformSecret } from '../credentials/create-platform-credential.ts';
import { ensureSigningKey } from '../tokens/signing-key.ts';
import { ensureAccount } from './ensure-account.ts';
import { ensureOrganisation } from './ensure-organisation.ts';
import { ensureWorkspace } from './ensure-workspace.ts';
import { readName } from './read-name.ts';

/** Name of the credential that `penstock init` creates. */
const ADMIN = 'admin';

export interface Names {
  readonly organisation: string;
  readonly account: string;
  readonly workspace: string;
  readonly actor: Actor;
}

export interface Initialised {
  readonly organisationId: bigint;
  readonly accountId: bigint;
  readonly workspaceId: WorkspaceId;
  /** Admin credential, shown once; absent where the account already has one, whose secret cannot be shown again. */
  readonly credential: PlatformSecret | undefined;
}

/**
 * Creates what a first use needs: organisation, account, workspace, an admin credential for all workspaces of the account, and
 * the key that signs tokens. A repeated or concurrent call creates only what is missing.
 */
export async function initialise(deps: AccessDeps, names: Names): Promise<Initialised> {
  const organisation = readName('organisation', names.organisation);
  const account = readName('account', names.account);
  const workspace = readName('workspace', names.workspace);
  await ensureSigningKey(deps);
  return deps.store.transaction((tx) =>
    makeMissing(tx, { organisation, account, workspace, actor: names.actor }, timeOf(deps.clock)),
  );
}

async function makeMissing(tx: Transaction, names: Names, createdOn: Date): Promise<Initialised> {
  const { actor } = names;
  const { id: organisationId } = await ensureOrganisation(tx, { name: names.organisation, createdOn });
  const { id: accountId } = await ensureAccount(tx, { organisationId, name: names.account, createdOn });
  const workspace = await ensureWorkspace(tx, { accountId, name: names.workspace, createdOn }, actor);
  const admin = { accountId, name: ADMIN, role: 'admin', workspaceIds: undefined, actor } as const;
  const credential = await insertPlatformCredential(tx, admin, createdOn);
  return { organisationId, accountId, workspaceId: workspaceId(workspace.id), credential };
}
