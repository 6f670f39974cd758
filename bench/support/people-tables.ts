// Tables of people that get their MPIDs, and what a program of ten lines would do to write them: load a staging table with
// the driver, update the table from it.
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { copyLines, runCopy } from '../../connectors/redshift/link/copy-in.ts';
import { openBenchStore } from './bench-store.ts';

export interface PeopleTable extends AsyncDisposable {
  readonly id: string;
  /** Body of a connection without id, name and state. */
  readonly connection: { readonly service_provider: string; readonly config: Readonly<Record<string, unknown>> };
  /** Two keys and an MPID a row into staging, one update, in one transaction, on a copy of the table. Answers seconds. */
  writeBare(): Promise<number>;
}

const CREATE = (rows: string) => `CREATE TABLE people AS
  SELECT 'customer-' || i AS customer_id, 'person' || i || '@example.org' AS email, CAST(NULL AS BIGINT) AS mpid,
    'Name ' || (i % 1000) AS first_name, 'City ' || (i % 5000) AS city, i AS n FROM ${rows}`;
const COPY = 'CREATE TABLE bare AS SELECT * FROM people';
const STAGING = 'CREATE TEMP TABLE staging AS SELECT customer_id AS k0, email AS k1, mpid FROM people WHERE 1 = 0';
const UPDATE = `UPDATE bare AS t SET mpid = s.mpid FROM staging AS s
  WHERE t.customer_id = s.k0 AND t.email = s.k1 AND t.mpid IS NULL`;

function* staged(rows: number): Generator<readonly [string, string, bigint], void, undefined> {
  for (let n = 0; n < rows; n++) yield [`customer-${n}`, `person${n}@example.org`, 2n ** 60n + BigInt(n)];
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export async function duckdbPeople(folder: string, rows: number): Promise<PeopleTable> {
  const within = async <Result>(work: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> => {
    const instance = await DuckDBInstance.create(join(folder, 'people.duckdb'), { threads: '1', memory_limit: '1GB' });
    const connection = await instance.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  await within(async (connection) => {
    await connection.run(CREATE(`range(${rows}) AS numbers(i)`));
    await connection.run(COPY);
  });
  return {
    id: 'duckdb',
    connection: { service_provider: 'DuckDB', config: { database: 'people.duckdb', read_only: false } },
    writeBare: () =>
      secondsOf(() =>
        within(async (connection) => {
          await connection.run('BEGIN');
          await connection.run(STAGING);
          const appender = await connection.createAppender('staging', 'main', 'temp');
          for (const [customer, email, mpid] of staged(rows)) {
            appender.appendVarchar(customer);
            appender.appendVarchar(email);
            appender.appendBigInt(mpid);
            appender.endRow();
          }
          appender.closeSync();
          await connection.run(UPDATE);
          await connection.run('COMMIT');
        }),
      ),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

export async function postgresPeople(rows: number): Promise<PeopleTable> {
  const server = await openBenchStore();
  const url = new URL(server.databaseUrl);
  await server.execute(CREATE(`generate_series(0, ${rows - 1}) AS numbers(i)`));
  await server.execute(COPY);
  await server.execute('ANALYZE people');
  await server.execute('ANALYZE bare');
  const config = {
    ...{ host: url.hostname, port: url.port, database: url.pathname.slice(1), sslmode: 'disable' },
    ...{ user: url.username, password: decodeURIComponent(url.password) },
  };
  return {
    id: 'postgresql',
    connection: { service_provider: 'Gamma', config },
    writeBare: () => secondsOf(() => writeBarePostgres(server.databaseUrl, rows)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function writeBarePostgres(connectionString: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('BEGIN');
  await client.query(STAGING);
  await runCopy(client, 'COPY staging FROM STDIN', copyLines(staged(rows)));
  await client.query('ANALYZE staging');
  await client.query(UPDATE);
  await client.query('COMMIT');
  await client.end();
}
