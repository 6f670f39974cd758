import { AppError } from '../../kernel/index.ts';
import type { CopyTarget, CopyValue, Transaction } from '../../store/index.ts';
import { lostRace } from '../profiles/read-profiles.ts';

interface Rows {
  readonly count: number;
  readonly row: (index: number) => readonly CopyValue[];
}

/** Writes rows whose key must be free by COPY. Throws STORE_CONFLICT where a key is taken: another delivery was faster. */
export async function copyNew(tx: Transaction, target: CopyTarget, { count, row }: Rows): Promise<void> {
  if (count === 0) return;
  try {
    await tx.copyIn(target, count, row);
  } catch (error) {
    if (error instanceof AppError && error.code === 'STORE_UNIQUE') throw lostRace('an identity');
    throw error;
  }
}
