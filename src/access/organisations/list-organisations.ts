import { asc } from 'drizzle-orm';
import type { Sql } from '../../store/index.ts';
import { organisations } from '../tables.ts';

export type OrganisationEntry = Readonly<typeof organisations.$inferSelect>;

/** Returns every organisation, ordered by id. */
export async function listOrganisations(sql: Sql): Promise<readonly OrganisationEntry[]> {
  return sql.orm.select().from(organisations).orderBy(asc(organisations.id));
}
