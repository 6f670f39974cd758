import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const PURCHASES = join(import.meta.dirname, '..', '..', '..', 'demo', 'cdnow-purchases.csv.gz');
const COLUMNS = `{'customer_id': 'VARCHAR', 'purchased_on': 'DATE', 'cds': 'INTEGER', 'amount': 'DECIMAL(10,2)'}`;

/** Known figures of the data set (demo/README.md). */
export const KNOWN = { purchases: 69_659, people: 23_570, cds: 167_881, cents: 250_031_563 } as const;

/** A DuckDB file with the table `purchases`; `statements` run after it is filled. */
export async function createPurchases(file: string, statements: readonly string[] = []): Promise<void> {
  const load = `CREATE TABLE purchases AS SELECT * FROM read_csv('${PURCHASES.replaceAll("'", "''")}', columns = ${COLUMNS})`;
  const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '256MB' });
  const connection = await instance.connect();
  try {
    for (const statement of [load, ...statements]) await connection.run(statement);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The purchases of such a file as `customer day CDs cents`, each as often as it is there, sorted. */
export async function readPurchases(file: string): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '256MB', access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    const sql = `SELECT concat_ws(' ', customer_id, purchased_on, cds, (amount * 100)::INTEGER) FROM purchases`;
    const rows = await (await connection.runAndReadAll(sql)).getRows();
    return rows.map(([row]) => String(row)).sort();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
