import { asc } from 'drizzle-orm';
import type { Sql } from '../../store/index.ts';
import { accounts } from '../tables.ts';

export type AccountEntry = Readonly<typeof accounts.$inferSelect>;

/** Returns every account, ordered by id. */
export async function listAccounts(sql: Sql): Promise<readonly AccountEntry[]> {
  return sql.orm.select().from(accounts).orderBy(asc(accounts.id));
}
