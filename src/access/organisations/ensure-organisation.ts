import { eq } from 'drizzle-orm';
import type { Sql } from '../../store/index.ts';
import { organisations } from '../tables.ts';
import { type Ensured, ensured } from './ensured.ts';

/** Creates the organisation unless one of that name exists; daemons and commands may race. */
export async function ensureOrganisation(sql: Sql, row: { name: string; createdOn: Date }): Promise<Ensured> {
  const id = { id: organisations.id };
  const made = await sql.orm.insert(organisations).values(row).onConflictDoNothing().returning(id);
  return ensured(made, () => sql.orm.select(id).from(organisations).where(eq(organisations.name, row.name)));
}
