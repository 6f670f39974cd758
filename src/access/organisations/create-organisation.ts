import { AppError } from '../../kernel/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { ensureOrganisation } from './ensure-organisation.ts';
import { readName } from './read-name.ts';

/** Creates an organisation and returns its id. Throws DUPLICATE_ID where the name is taken. */
export async function createOrganisation({ store, clock }: AccessDeps, input: { name: string }): Promise<bigint> {
  const name = readName('name', input.name);
  const { id, isNew } = await ensureOrganisation(store, { name, createdOn: timeOf(clock) });
  if (!isNew) throw new AppError('DUPLICATE_ID', `The organisation "${name}" exists already, with id ${id}.`);
  return id;
}
