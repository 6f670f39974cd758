import { and, eq } from 'drizzle-orm';
import type { Sql } from '../../store/index.ts';
import { accounts } from '../tables.ts';
import { type Ensured, ensured } from './ensured.ts';

/** Creates the account unless the organisation has one of that name. */
export async function ensureAccount(
  sql: Sql,
  row: { organisationId: bigint; name: string; createdOn: Date },
): Promise<Ensured> {
  const id = { id: accounts.id };
  const made = await sql.orm.insert(accounts).values(row).onConflictDoNothing().returning(id);
  const sameName = and(eq(accounts.organisationId, row.organisationId), eq(accounts.name, row.name));
  return ensured(made, () => sql.orm.select(id).from(accounts).where(sameName));
}
