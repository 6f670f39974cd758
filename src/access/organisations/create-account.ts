import { eq } from 'drizzle-orm';
import { AppError } from '../../kernel/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { organisations } from '../tables.ts';
import { ensureAccount } from './ensure-account.ts';
import { readName } from './read-name.ts';

/**
 * Creates an account and returns its id.
 * Throws NOT_FOUND without such an organisation, and DUPLICATE_ID where the organisation has an account of that name.
 */
export async function createAccount(
  { store, clock }: AccessDeps,
  input: { organisationId: bigint; name: string },
): Promise<bigint> {
  const { organisationId } = input;
  const name = readName('name', input.name);
  const found = await store.orm.select().from(organisations).where(eq(organisations.id, organisationId));
  if (found.length === 0) throw new AppError('NOT_FOUND', `There is no organisation ${organisationId}.`);
  const { id, isNew } = await ensureAccount(store, { organisationId, name, createdOn: timeOf(clock) });
  if (!isNew) throw new AppError('DUPLICATE_ID', `The account "${name}" exists already, with id ${id}.`);
  return id;
}
