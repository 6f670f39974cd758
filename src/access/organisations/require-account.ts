import { eq } from 'drizzle-orm';
import { AppError } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { accounts } from '../tables.ts';

/** Returns the account. Throws NOT_FOUND where there is none. */
export async function requireAccount(sql: Sql, accountId: bigint): Promise<typeof accounts.$inferSelect> {
  const [account] = await sql.orm.select().from(accounts).where(eq(accounts.id, accountId));
  if (account === undefined) throw new AppError('NOT_FOUND', `There is no account ${accountId}.`);
  return account;
}
