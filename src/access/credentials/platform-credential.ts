import { eq } from 'drizzle-orm';
import { AppError, refuse, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Actor } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import { platformCredentials, workspaces } from '../tables.ts';

/** The role of a platform credential: `admin` may do everything, `read` may only read (D-019). */
export type Role = 'admin' | 'read';

export type PlatformCredentialRow = Readonly<typeof platformCredentials.$inferSelect>;

/**
 * Returns the credential. Throws NOT_FOUND without one, and VALIDATION_FAILED for a revoked one, which nothing can be done
 * with.
 */
export async function requireLiveCredential(sql: Sql, clientId: string): Promise<PlatformCredentialRow> {
  const [row] = await sql.orm.select().from(platformCredentials).where(eq(platformCredentials.clientId, clientId));
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no platform credential ${clientId}.`);
  if (row.revokedOn === null) return row;
  throw refuse([{ path: 'client_id', message: `The credential ${clientId} is revoked; create another one.` }]);
}

/** Throws NOT_FOUND for a workspace that is not the account's; undefined stands for all of them. */
export async function requireWorkspaces(
  sql: Sql,
  accountId: bigint,
  ids: readonly WorkspaceId[] | undefined,
): Promise<void> {
  if (ids === undefined) return;
  const known = new Set(await workspacesOf(sql, accountId));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) {
    throw new AppError('NOT_FOUND', `The account ${accountId} has no workspace ${missing.join(', ')}.`);
  }
}

interface CredentialChange {
  readonly actor: Actor;
  readonly occurredOn: Date;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Writes the change to the audit log of every workspace that the credential reaches. A credential belongs to an account, so
 * this is one of the few transactions over several workspaces: an operator's command, inserts only, no locks.
 */
export async function recordCredentialChange(
  tx: Transaction,
  row: Pick<PlatformCredentialRow, 'clientId' | 'accountId' | 'workspaceIds'>,
  change: CredentialChange,
): Promise<void> {
  const reached = row.workspaceIds ?? (await workspacesOf(tx, row.accountId));
  for (const id of reached) {
    await recordChange(tx, {
      workspaceId: workspaceId(id),
      resource: `platform_credential/${row.clientId}`,
      ...change,
    });
  }
}

async function workspacesOf(sql: Sql, accountId: bigint): Promise<bigint[]> {
  const rows = await sql.orm.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.accountId, accountId));
  return rows.map(({ id }) => id);
}
