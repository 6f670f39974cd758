// The customer's side of the demo: a DuckDB file that somebody else fills. Penstock itself only ever reads it.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const PURCHASES = join(import.meta.dirname, 'cdnow-purchases.csv.gz');
/** The first day of what the demo adds in its second step: the last month of the data set. */
const NEWER_FROM = '1998-06-01';

/** Makes the warehouse with every purchase before the last month. Returns how many rows it loaded. */
export async function createPurchaseWarehouse(file: string): Promise<number> {
  return load(file, [
    `CREATE TABLE purchases (customer_id VARCHAR, purchased_on DATE, cds INTEGER, amount DECIMAL(10,2), loaded_at TIMESTAMPTZ)`,
    insertWhere(`purchased_on < DATE '${NEWER_FROM}'`),
  ]);
}

/** Adds the purchases of the last month, as a nightly load would. Returns how many rows it loaded. */
export async function addNewerPurchases(file: string): Promise<number> {
  return load(file, [insertWhere(`purchased_on >= DATE '${NEWER_FROM}'`)]);
}

// `loaded_at` is when a row came into the warehouse: the column by which the demo's pipeline finds what is new.
function insertWhere(condition: string): string {
  const columns = `{'customer_id': 'VARCHAR', 'purchased_on': 'DATE', 'cds': 'INTEGER', 'amount': 'DECIMAL(10,2)'}`;
  return `INSERT INTO purchases SELECT *, now() FROM read_csv('${PURCHASES.replaceAll("'", "''")}', columns = ${columns}) WHERE ${condition}`;
}

async function load(file: string, statements: readonly string[]): Promise<number> {
  const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '256MB' });
  const connection = await instance.connect();
  try {
    let rows = 0;
    for (const statement of statements) rows = (await connection.run(statement)).rowsChanged;
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
