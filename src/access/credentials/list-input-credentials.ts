import { asc, eq, getTableColumns } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { inputCredentials } from '../tables.ts';

export interface InputCredentialEntry {
  readonly key: string;
  readonly workspaceId: bigint;
  readonly name: string;
  /** Words of `INPUT_USES`. */
  readonly uses: readonly string[];
  /** Feed of a feed's key. */
  readonly feedId: bigint | null;
  /** Time until which the secret before the last rotation is accepted. */
  readonly previousUntil: Date | null;
  readonly createdOn: Date;
  readonly revokedOn: Date | null;
}

/** Returns the workspace's input credentials, revoked ones too, the oldest first. No secret is among the columns. */
export async function listInputCredentials(sql: Sql, id: WorkspaceId): Promise<readonly InputCredentialEntry[]> {
  const { secret, previousSecret, ...open } = getTableColumns(inputCredentials);
  return sql.orm
    .select(open)
    .from(inputCredentials)
    .where(eq(inputCredentials.workspaceId, id))
    .orderBy(asc(inputCredentials.createdOn), asc(inputCredentials.key));
}
