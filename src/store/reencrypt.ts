// Re-encrypts texts in tables with the newest key, so that an older one can leave the configuration. Rooms say which of their
// columns hold encrypted texts, and what each text is bound to; reading and writing happens here.
import { asAppError, type KeyRing } from '../kernel/index.ts';
import type { Sql, SqlValue, Store } from './contract.ts';
import { inIndexOrder } from './in-index-order.ts';

/** An encrypted text as it stands in a row, alone in its column or within JSON text. */
export interface SealedText {
  readonly text: string;
  /** Context to which the text is bound. */
  readonly context: string;
  /** The text is not read any more. Where its key is lost it stays as it is, and is not reported. */
  readonly isSpent?: boolean;
}

type SecretStore = Sql & Pick<Store, 'transaction'>;

/** A table with encrypted texts; names are those of the store. Without `Row`: any of them. */
export interface SealedTable<Row extends object = never> {
  readonly table: string;
  /** Its primary key. */
  readonly key: readonly (keyof Row & string)[];
  /** Columns of text that hold the encrypted ones; a row where all of them are null holds none. */
  readonly columns: readonly (keyof Row & string)[];
  /** Further columns that `sealedTexts` needs. */
  readonly besides?: readonly (keyof Row & string)[];
  sealedTexts(row: Row): readonly SealedText[];
  /** Waits for transactions under way that copy texts of another table into this one. */
  settle?(store: SecretStore): Promise<void>;
}

export interface Reencrypted {
  /** Rows that were written anew. */
  readonly written: number;
  /** Rows that stay as they are, because their key is not configured or they were changed. */
  readonly unreadable: number;
  /** Keys of the first unreadable rows. */
  readonly examples: readonly string[];
}

/** Rows of one page: a request of a data subject or the snapshot of a run can hold a megabyte. */
const PAGE_ROWS = 50;
const MOST_EXAMPLES = 5;

type StoredRow = Readonly<Record<string, SqlValue>>;

/**
 * Re-encrypts all rows, each in a statement of its own. After an interruption call it again: finished rows are skipped. It is
 * safe beside running daemons: a row is written only if its texts are still those that were read, and read again otherwise.
 */
export async function reencryptTable(store: SecretStore, keyRing: KeyRing, table: SealedTable): Promise<Reencrypted> {
  await table.settle?.(store);
  let written = 0;
  let unreadable = 0;
  const examples: string[] = [];
  for await (const row of rowsOf(store, table)) {
    try {
      if (await renewRow(store, keyRing, { table, row })) written += 1;
    } catch (error) {
      if (asAppError(error).code !== 'SECRET_UNREADABLE') throw error;
      unreadable += 1;
      if (examples.length < MOST_EXAMPLES) examples.push(keyOf(table, row).join('/'));
    }
  }
  return { written, unreadable, examples };
}

/** Yields all rows, a page at a time, each page behind the last row of the one before. */
async function* rowsOf(store: SecretStore, table: SealedTable): AsyncGenerator<StoredRow> {
  let last: StoredRow | undefined;
  for (;;) {
    const after = last;
    const rows: readonly StoredRow[] = await inIndexOrder(store, (tx) => readPage(tx, table, after));
    yield* rows;
    last = rows.at(-1);
    if (rows.length < PAGE_ROWS) return;
  }
}

function readPage(sql: Sql, table: SealedTable, last: StoredRow | undefined): Promise<readonly StoredRow[]> {
  const { key, columns } = table;
  const behind = last === undefined ? '' : `AND (${key.join(', ')}) > (${key.map((_, index) => `$${index + 1}`)})`;
  return sql.query(
    `/* across workspaces: rows with encrypted texts */
     SELECT ${readColumns(table)} FROM ${table.table}
     WHERE (${columns.map((column) => `${column} IS NOT NULL`).join(' OR ')}) ${behind}
     ORDER BY ${key.join(', ')} LIMIT ${PAGE_ROWS}`,
    last === undefined ? [] : keyOf(table, last),
  );
}

interface Renewing {
  readonly table: SealedTable;
  readonly row: StoredRow;
}

/** Returns whether there was something to write. Throws SECRET_UNREADABLE. */
async function renewRow(sql: Sql, keyRing: KeyRing, { table, row }: Renewing): Promise<boolean> {
  let current: StoredRow | undefined = row;
  while (current !== undefined) {
    const renewed = renewTexts(keyRing, { table, row: current });
    if (renewed === undefined) return false;
    if (await replaceTexts(sql, { table, row: current }, renewed)) return true;
    current = await readRow(sql, { table, row: current });
  }
  return false;
}

/**
 * Returns the new texts of the columns, or undefined where there is nothing to write. JSON text around a text stays unchanged.
 */
function renewTexts(keyRing: KeyRing, { table, row }: Renewing): readonly (string | null)[] | undefined {
  const old = table.sealedTexts(row as never).filter(({ text }) => keyRing.needsRotation(text));
  if (old.length === 0) return undefined;
  const anew = old.flatMap((sealed) => renewText(keyRing, sealed));
  if (anew.length === 0) return undefined;
  return table.columns.map((column) => {
    const text = row[column];
    return typeof text === 'string' ? anew.reduce((all, [from, to]) => all.replaceAll(from, to), text) : null;
  });
}

/**
 * Returns the text and its replacement, or nothing for an unreadable text that is not needed any more. Throws
 * SECRET_UNREADABLE.
 */
function renewText(
  keyRing: KeyRing,
  { text, context, isSpent = false }: SealedText,
): readonly (readonly [string, string])[] {
  try {
    return [[text, keyRing.encrypt(keyRing.decrypt(text, context), context)]];
  } catch (error) {
    if (isSpent && asAppError(error).code === 'SECRET_UNREADABLE') return [];
    throw error;
  }
}

async function replaceTexts(sql: Sql, { table, row }: Renewing, texts: readonly (string | null)[]): Promise<boolean> {
  const { key, columns } = table;
  const at = (index: number) => `$${key.length + index + 1}`;
  const sets = columns.map((column, index) => `${column} = ${at(index)}`);
  const unchanged = columns.map((column, index) => `${column} IS NOT DISTINCT FROM ${at(columns.length + index)}`);
  const written = await sql.execute(
    `UPDATE ${table.table} SET ${sets.join(', ')} WHERE ${[whereKey(table), ...unchanged].join(' AND ')}`,
    [...keyOf(table, row), ...texts, ...columns.map((column) => row[column] ?? null)],
  );
  return written === 1;
}

async function readRow(sql: Sql, { table, row }: Renewing): Promise<StoredRow | undefined> {
  const [found] = await sql.query<StoredRow>(
    `SELECT ${readColumns(table)} FROM ${table.table} WHERE ${whereKey(table)}`,
    keyOf(table, row),
  );
  return found;
}

const readColumns = ({ key, columns, besides = [] }: SealedTable): string =>
  [...key, ...columns, ...besides].join(', ');

const whereKey = ({ key }: SealedTable): string =>
  key.map((column, index) => `${column} = $${index + 1}`).join(' AND ');

const keyOf = ({ key }: SealedTable, row: StoredRow): readonly SqlValue[] => key.map((column) => row[column] ?? null);
