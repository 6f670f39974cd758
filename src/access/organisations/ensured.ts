import { AppError } from '../../kernel/index.ts';

/** The id of a row that now exists, and whether this call created the row. */
export interface Ensured {
  readonly id: bigint;
  readonly isNew: boolean;
}

interface HasId {
  readonly id: bigint;
}

/** Returns the inserted row, else the existing one, after INSERT … ON CONFLICT DO NOTHING RETURNING. */
export async function ensured(made: readonly HasId[], find: () => PromiseLike<readonly HasId[]>): Promise<Ensured> {
  const [mine] = made;
  if (mine !== undefined) return { id: mine.id, isNew: true };
  const [theirs] = await find();
  if (theirs === undefined)
    throw new AppError('STORE_CONFLICT', 'A row of that name was created and deleted at the same time.');
  return { id: theirs.id, isNew: false };
}
