// A customer's side of the end-to-end tests: a DuckDB file with many people, and pipelines over it, defined over the API.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type ApiClient, signIn } from '../../src/cli/api-client.ts';
import type { Json } from '../../src/kernel/index.ts';
import { commandLine } from './command-line.ts';
import { bareEnvironment, type Daemon, type ProcessOptions } from './penstock-process.ts';
import { until } from './until.ts';

export type RunAnswer = Readonly<Record<string, Json>>;

export interface Shop {
  /** Defines a pipeline over a table of people of its own and answers its id. */
  pipeline(id: string, people: number, changes?: object): Promise<string>;
  trigger(pipeline: string): Promise<bigint>;
  run(pipeline: string, run: bigint): Promise<RunAnswer>;
  runs(pipeline: string): Promise<readonly RunAnswer[]>;
  /** Waits until chunks arrive and the end is not near; fails when the run ended before anybody looked. */
  untilMidway(pipeline: string, run: bigint): Promise<void>;
  untilOver(pipeline: string, run: bigint): Promise<RunAnswer>;
  /** The same shop over another daemon of its store. */
  at(daemon: Pick<Daemon, 'url'>): Promise<Shop>;
}

const RUNS = '/inputs/data-pipelines';
const OVER: readonly Json[] = ['success', 'failed', 'stopped'];

/** Makes workspace, credential and connection on the daemon's store. */
export async function openShop(daemon: Daemon, options: ProcessOptions): Promise<Shop> {
  const made = await commandLine(bareEnvironment(options)).json('init');
  const folder = join(options.home, 'warehouses', String(made.workspace_id));
  await mkdir(folder, { recursive: true });
  const at = async ({ url }: Pick<Daemon, 'url'>): Promise<Shop> =>
    shopOver(
      await signIn(url, String(made.workspace_id), {
        clientId: String(made.client_id),
        clientSecret: String(made.client_secret),
        signal: new AbortController().signal,
      }),
      { folder, at },
    );
  const shop = await at(daemon);
  return shop;
}

function shopOver(api: ApiClient, { folder, at }: { readonly folder: string; readonly at: Shop['at'] }): Shop {
  const run = (pipeline: string, id: bigint) => api.get(`${RUNS}/${pipeline}/runs/${id}`);
  return {
    at,
    run,
    async pipeline(id, people, changes = {}) {
      await createPeople(join(folder, `${id}.duckdb`), people);
      const base = { id, name: id, state: 'active' };
      const config = { database: `${id}.duckdb`, read_only: true };
      await api.post('/connections', { ...base, service_provider: 'DuckDB', config });
      const sql_query = `SELECT '${id}-' || customer_id AS customer_id, email, plan, seats FROM people`;
      await api.post('/data-models', { ...base, type: 'sql', config: { sql_query } });
      await api.post(RUNS, {
        ...{ ...base, pipeline_type: 'user_attributes', connection_id: id, data_model_id: id },
        ...{ environment: 'production', sync_mode: { type: 'full' }, schedule: { type: 'on_demand' }, ...changes },
      });
      return id;
    },
    async trigger(pipeline) {
      const { pipeline_run_id: id } = await api.post(`${RUNS}/trigger`, { pipeline_id: pipeline });
      return BigInt(id as number);
    },
    async runs(pipeline) {
      const { items } = await api.get(`${RUNS}/${pipeline}/runs`);
      return items as unknown as readonly RunAnswer[];
    },
    async untilMidway(pipeline, id) {
      await until(async () => {
        const { status, extracted_records: rows } = await run(pipeline, id);
        if (OVER.includes(status ?? null)) throw new Error(`The run was ${status} before anybody looked.`);
        return status === 'running' && Number(rows) > 0;
      }, 30_000);
    },
    untilOver: (pipeline, id) =>
      until(async () => {
        const now = await run(pipeline, id);
        return OVER.includes(now.status ?? null) ? now : undefined;
      }, 60_000),
  };
}

/** A file of its own for each pipeline: DuckDB reads it in order, so its first chunk comes at once. */
async function createPeople(file: string, people: number): Promise<void> {
  const instance = await DuckDBInstance.create(file, { threads: '1' });
  const connection = await instance.connect();
  await connection.run(
    `CREATE TABLE people AS SELECT i AS customer_id, i || '@example.com' AS email, i % 7 AS plan, i AS seats
     FROM range(${people}) AS numbers(i)`,
  );
  connection.closeSync();
  instance.closeSync();
}
