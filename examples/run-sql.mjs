// Runs the statements of a file on a DuckDB database and writes the rows of the last one, one JSON object a line:
// `node examples/run-sql.mjs DATABASE STATEMENTS.sql`. Paths in the statements are those of the file's folder.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const [database, statements] = process.argv.slice(2);
if (database === undefined || statements === undefined) {
  process.stderr.write('Give a database and a file of statements: node examples/run-sql.mjs DATABASE STATEMENTS.sql\n');
  process.exit(2);
}
const file = resolve(database);
const sql = readFileSync(statements, 'utf8');
process.chdir(dirname(statements));
const instance = await DuckDBInstance.create(file);
const connection = await instance.connect();
const result = await connection.runAndReadAll(sql);
for (const row of result.getRowObjectsJson()) process.stdout.write(`${JSON.stringify(row)}\n`);
connection.closeSync();
instance.closeSync();
