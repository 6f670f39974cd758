// Warehouses of the crash tests: one table, filled with the rows that the tests know.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { until } from '../clocks/until.ts';
import { openPostgresWarehouse } from '../fakes/postgres-warehouse.ts';
import { type LossyProxy, openLossyProxy } from './lossy-proxy.ts';
import type { SourceRow } from './source-rows.ts';

export interface CrashSource extends AsyncDisposable {
  /** Body of the connection over the API, without id, name and state. */
  readonly connection: { readonly service_provider: string; readonly config: Readonly<Record<string, unknown>> };
  /** What the models select from: `shop_rows` where it is not said. */
  readonly from?: string;
  append(rows: readonly SourceRow[]): Promise<void>;
  /** Any statement over the table `shop_rows`. */
  run(statement: string): Promise<void>;
}

const COLUMNS = {
  number: 'BIGINT',
  buyer: 'BIGINT',
  name: 'VARCHAR',
  amount: 'VARCHAR',
  score: 'VARCHAR',
  changed_at: 'VARCHAR',
};
const TYPED =
  'number, buyer, name, amount::DECIMAL(12,2) AS amount, score::DOUBLE AS score, changed_at::TIMESTAMPTZ AS changed_at';
const TABLE = 'number BIGINT, buyer BIGINT, name VARCHAR, amount DECIMAL(12,2), score DOUBLE, changed_at TIMESTAMPTZ';

/** A file `<id>.duckdb` in the workspace's folder. It can be written while no run reads it. */
export async function duckdbSource(folder: string, id: string): Promise<CrashSource> {
  const run = async (statement: string, values: readonly string[] = []) => {
    const instance = await openFreed(join(folder, `${id}.duckdb`));
    const connection = await instance.connect();
    try {
      await connection.run(statement, [...values]);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  await run(`CREATE TABLE shop_rows (${TABLE})`);
  const shape = JSON.stringify([COLUMNS]).replaceAll("'", "''");
  const insert = `INSERT INTO shop_rows SELECT ${TYPED} FROM (SELECT unnest(from_json($1, '${shape}'), recursive := true))`;
  return {
    connection: { service_provider: 'DuckDB', config: { database: `${id}.duckdb`, read_only: true } },
    append: (rows) => run(insert, [JSON.stringify(rows)]),
    run,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Opens a file once nobody has it any more: the child of a killed daemon ends a moment after the daemon. */
async function openFreed(path: string): Promise<DuckDBInstance> {
  return await until(async () => {
    try {
      return await DuckDBInstance.create(path, { threads: '1' });
    } catch (failure) {
      if (String(failure).includes('Could not set lock')) return undefined;
      throw failure;
    }
  });
}

/** Opens a source for the pipeline of that id. */
export type OpenSource = (id: string) => Promise<CrashSource>;

export interface PostgresSources extends AsyncDisposable {
  readonly open: OpenSource;
  /** Between the daemons and the warehouse; the test itself goes past it. */
  readonly proxy: LossyProxy;
}

/** Databases of a real PostgreSQL, which daemons reach through a line that can break. */
export async function postgresSources(): Promise<PostgresSources> {
  const opened: CrashSource[] = [];
  const first = await openPostgresWarehouse();
  const proxy = await openLossyProxy({ host: first.config.host, port: Number(first.config.port) });
  return {
    proxy,
    async open() {
      const source = await postgresSource(proxy);
      opened.push(source);
      return source;
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      for (const source of opened) await source[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

async function postgresSource(proxy: LossyProxy): Promise<CrashSource> {
  const warehouse = await openPostgresWarehouse();
  await warehouse.seed([`CREATE TABLE shop_rows (${TABLE.replace('DOUBLE', 'DOUBLE PRECISION')})`]);
  const typed = TYPED.replace('DOUBLE', 'DOUBLE PRECISION');
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  return {
    connection: {
      service_provider: 'Gamma',
      config: { ...warehouse.config, host: '127.0.0.1', port: String(proxy.port) },
    },
    append: (rows) =>
      warehouse.seed([
        `INSERT INTO shop_rows SELECT ${typed} FROM json_to_recordset('${JSON.stringify(rows).replaceAll("'", "''")}')
           AS given(${columns.join(', ')})`,
      ]),
    run: (statement) => warehouse.seed([statement]),
    [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose](),
  };
}
