import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** Ten columns: two identities, seven attributes and the time of the last change. */
export const COLUMNS = [
  'customer_id',
  'email',
  'first_name',
  'city',
  'country',
  'plan',
  'visits',
  'spent',
  'score',
  'updated_at',
] as const;
export const MODEL = `SELECT ${COLUMNS.join(', ')} FROM people`;

/** Everybody's row was last changed at this time, until `changeSome`. */
export const LONG_AGO = '2025-01-01T00:00:00Z';
export const RECENTLY = '2025-06-01T00:00:00Z';

const CREATE = (rows: number) => `
  CREATE TABLE people AS SELECT i, 'customer-' || i AS customer_id, 'person' || i || '@example.org' AS email,
    'Name ' || (i % 1000) AS first_name, 'City ' || (i % 5000) AS city, 'Country ' || (i % 190) AS country,
    'plan-' || (i % 7) AS plan, (i % 365)::INTEGER AS visits, (i % 100000 / 100)::DECIMAL(10, 2) AS spent,
    (i / 7)::DOUBLE AS score, TIMESTAMPTZ '${LONG_AGO}' AS updated_at
  FROM range(${rows}) AS numbers(i)`;
/** Four of the eight attributes of every row; `times` makes each change another one. */
const HALF = (times: number) => `
  UPDATE people SET city = 'City ' || ((i + ${times}) % 5000), visits = visits + 1, spent = spent + ${times},
    score = score + ${times}`;
const SOME = (share: number) => `
  UPDATE people SET visits = visits + 1, updated_at = TIMESTAMPTZ '${RECENTLY}' WHERE i % ${share} = 0`;

export const createPeople = (file: string, rows: number) => run(file, CREATE(rows));
export const changeHalf = (file: string, times: number) => run(file, HALF(times));
/** One row of `share` changes and says so. */
export const changeSome = (file: string, share: number) => run(file, SOME(share));

async function run(file: string, statement: string): Promise<void> {
  await withConnection(file, async (connection) => void (await connection.run(statement)));
}

async function withConnection<Result>(
  file: string,
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '1GB' });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** All rows by the driver alone, as text, in the chunks it gives. */
export async function readAll(
  file: string,
  onRows: (rows: readonly (readonly string[])[]) => Promise<void>,
): Promise<void> {
  await withConnection(file, async (connection) => {
    const result = await connection.stream(MODEL);
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      await onRows(chunk.getRows().map((row) => row.map(String)));
    }
  });
}

/** Reads every value of every row with the driver and does nothing with it. Answers how many rows there were. */
export async function readValues(file: string): Promise<number> {
  return await withConnection(file, async (connection) => {
    const result = await connection.stream(MODEL);
    let rows = 0;
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      rows += chunk.getRows().length;
    }
    return rows;
  });
}
