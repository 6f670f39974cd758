import { AppError } from '../../kernel/index.ts';
import type { Dialect, Session } from '../../warehouse/index.ts';
import type { Addressing } from './address-rows.ts';
import { nameOfKey } from './key-name.ts';

/** More of them, and the columns of `row_key` are no key of that table. About 40 MB. */
const MOST = 250_000;
const CHUNK_BYTES = 4 * 1024 * 1024;

export interface KeySearch {
  readonly session: Session;
  readonly dialect: Dialect;
  readonly addressing: Addressing;
  readonly chunkRows: number;
  readonly label: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Returns the names of keys that more than one row of the whole table has, also rows that the model's filter drops or that
 * belong to nobody. Returns none where the key is whole. Throws MODEL_INVALID where there are too many.
 * Such rows may be different people if `row_key` leaves an identity out, and the update would give all of them one MPID.
 */
export async function findSharedKeys(search: KeySearch): Promise<ReadonlySet<string>> {
  const { session, dialect, addressing, chunkRows, label, signal } = search;
  const { target, isWhole, keyOfCells } = addressing;
  const names = new Set<string>();
  if (isWhole) return names;
  const columns = target.key.map(({ name }) => dialect.quoteIdentifier(name)).join(', ');
  // grouped by exact text as well, because a column may compare two texts as equal and make one key of them
  const exactText = (await session.exactText?.(signal)) ?? dialect.exactText;
  const exact = target.key
    .filter(({ type }) => type === 'text')
    .map(({ name }) => exactText(dialect.quoteIdentifier(name)));
  const sql = `SELECT ${columns} FROM ${target.table} GROUP BY ${[columns, ...exact].join(', ')} HAVING COUNT(*) > 1`;
  const statement = { sql, parameters: {} };
  const { chunks } = await session.read({ statement, chunkRows, chunkBytes: CHUNK_BYTES, label }, signal);
  for await (const rows of chunks) {
    for (const row of rows) names.add(nameOfKey(keyOfCells(row)));
    if (names.size > MOST) throw tooMany(addressing);
  }
  return names;
}

function tooMany({ target }: Addressing): AppError {
  const columns = target.key.map(({ name }) => name).join(', ');
  const message =
    `More than ${MOST} values of ${columns}, the row_key, occur in several rows of ${target.table}, so they do ` +
    'not identify its rows. Name more columns, or leave out row_key to use all identities of the model as the key.';
  return new AppError('MODEL_INVALID', message);
}
