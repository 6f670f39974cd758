import { asc, getTableColumns } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { platformCredentials } from '../tables.ts';
import type { Role } from './platform-credential.ts';

export interface PlatformCredentialEntry {
  readonly clientId: string;
  readonly accountId: bigint;
  readonly name: string;
  readonly role: Role;
  /** Workspaces of the credential; null stands for every workspace of the account. */
  readonly workspaceIds: readonly WorkspaceId[] | null;
  /** Time until which the secret before the last rotation gets tokens. */
  readonly previousUntil: Date | null;
  readonly createdOn: Date;
  readonly revokedOn: Date | null;
}

/** Returns every platform credential, revoked ones too, the oldest first. No secret is among the columns. */
export async function listPlatformCredentials(sql: Sql): Promise<readonly PlatformCredentialEntry[]> {
  const { secretSha256, previousSha256, ...open } = getTableColumns(platformCredentials);
  return await sql.orm
    .select(open)
    .from(platformCredentials)
    .orderBy(asc(platformCredentials.createdOn), asc(platformCredentials.clientId));
}
