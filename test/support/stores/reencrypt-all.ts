import type { KeyRing } from '../../../src/kernel/index.ts';
import { reencryptTable, type SealedTable, type Store } from '../../../src/store/index.ts';

/** Re-encrypts all tables and returns how many rows of each were rewritten. Every row must be readable. */
export async function reencryptAll(
  store: Store,
  keyRing: KeyRing,
  tables: readonly SealedTable[],
): Promise<Readonly<Record<string, number>>> {
  const written: Record<string, number> = {};
  for (const table of tables) {
    const done = await reencryptTable(store, keyRing, table);
    if (done.unreadable > 0) throw new Error(`${done.unreadable} rows of ${table.table} cannot be read.`);
    written[table.table] = done.written;
  }
  return written;
}
