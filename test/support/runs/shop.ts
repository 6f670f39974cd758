// A customer's side of the end-to-end tests: DuckDB files with many people, and pipelines over them, defined over the API.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ApiClient } from '../../../src/cli/api-client.ts';
import type { Json } from '../../../src/kernel/index.ts';
import { until } from '../clocks/until.ts';

export type RunAnswer = Readonly<Record<string, Json>>;

export interface Shop {
  /** Defines a pipeline over a file of people of its own and answers its id. One in a hundred people cannot be mapped. */
  pipeline(id: string, people: number, changes?: object): Promise<string>;
  trigger(pipeline: string): Promise<bigint>;
  runs(pipeline: string): Promise<readonly RunAnswer[]>;
  /** Waits until chunks arrive and the end is not near; fails when the run ended before anybody looked. */
  untilMidway(pipeline: string, run: bigint): Promise<void>;
  untilOver(pipeline: string, run: bigint): Promise<RunAnswer>;
}

const PIPELINES = '/inputs/data-pipelines';
const OVER: readonly Json[] = ['success', 'failed', 'stopped'];

/** `folder` is where the workspace's files lie. */
export function shopOver(api: ApiClient, folder: string): Shop {
  const readRun = (pipeline: string, id: bigint) => api.get(`${PIPELINES}/${pipeline}/runs/${id}`);
  return {
    async pipeline(id, people, changes = {}) {
      await createPeople(join(folder, `${id}.duckdb`), people);
      const base = { id, name: id, state: 'active' };
      const config = { database: `${id}.duckdb`, read_only: true };
      await api.post('/connections', { ...base, service_provider: 'DuckDB', config });
      const sql_query = `SELECT '${id}-' || number AS customer_id, city, score FROM people`;
      await api.post('/data-models', { ...base, type: 'sql', config: { sql_query } });
      await api.post(PIPELINES, {
        ...{ ...base, pipeline_type: 'user_attributes', connection_id: id, data_model_id: id },
        ...{ environment: 'production', sync_mode: { type: 'full' }, schedule: { type: 'on_demand' }, ...changes },
      });
      return id;
    },
    async trigger(pipeline) {
      const { pipeline_run_id: id } = await api.post(`${PIPELINES}/trigger`, { pipeline_id: pipeline });
      return BigInt(id as number);
    },
    async runs(pipeline) {
      const { items } = await api.get(`${PIPELINES}/${pipeline}/runs`);
      return items as unknown as readonly RunAnswer[];
    },
    async untilMidway(pipeline, id) {
      await until(async () => {
        const { status, extracted_records: rows } = await readRun(pipeline, id);
        if (OVER.includes(status ?? null)) throw new Error(`The run was ${status} before anybody looked.`);
        return status === 'running' && Number(rows) > 0;
      });
    },
    untilOver: (pipeline, id) =>
      until(async () => {
        const run = await readRun(pipeline, id);
        return OVER.includes(run.status ?? null) ? run : undefined;
      }, 90_000),
  };
}

/** What a run over so many people answers when all is well. */
export function completeRun(people: number): RunAnswer {
  const failed = people / 100;
  return {
    ...{ status: 'success', errors: [], deduplicated_records: 0, erased_records: 0 },
    ...{ extracted_records: people, successful_records: people - failed, failed_records: failed },
  };
}

async function createPeople(file: string, people: number): Promise<void> {
  const instance = await DuckDBInstance.create(file, { threads: '1' });
  const connection = await instance.connect();
  await connection.run(
    `CREATE TABLE people AS
     SELECT i AS number, 'City ' || i AS city, CASE WHEN i % 100 = 7 THEN 'NaN' ELSE '1' END::DOUBLE AS score
     FROM range(${people}) AS numbers(i)`,
  );
  connection.closeSync();
  instance.closeSync();
}
