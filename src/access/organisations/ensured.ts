import { AppError } from '../../kernel/index.ts';

/** The id of what now exists, and whether this call made it. */
export interface Ensured {
  readonly id: bigint;
  readonly isNew: boolean;
}

interface HasId {
  readonly id: bigint;
}

/** After INSERT … ON CONFLICT DO NOTHING RETURNING: the row that was made, else the one that was there. */
export async function ensured(made: readonly HasId[], find: () => PromiseLike<readonly HasId[]>): Promise<Ensured> {
  const [mine] = made;
  if (mine !== undefined) return { id: mine.id, isNew: true };
  const [theirs] = await find();
  if (theirs === undefined) throw new AppError('STORE_CONFLICT', 'A row of that name appeared and was gone again.');
  return { id: theirs.id, isNew: false };
}
