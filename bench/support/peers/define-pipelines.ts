import type { BenchDaemon } from '../daemon.ts';
import { COLUMNS, TABLE, UPDATED } from './people-table.ts';

/** Defines the pipelines `full` and `incremental` of production, and `first` of development, where nobody is known. */
export async function definePipelines({ api }: BenchDaemon, source: string): Promise<void> {
  const base = { id: TABLE, name: TABLE, state: 'active' };
  const url = new URL(source);
  const config = {
    ...{ host: url.hostname, port: url.port, database: url.pathname.slice(1), sslmode: 'disable' },
    ...{ user: url.username, password: decodeURIComponent(url.password) },
  };
  await api.post('/connections', { ...base, service_provider: 'Gamma', config });
  const model = { type: 'sql', config: { sql_query: `SELECT ${COLUMNS.join(', ')} FROM ${TABLE}` } };
  await api.post('/data-models', { ...base, ...model });
  const incremental = { type: 'incremental', iterator_field: UPDATED, iterator_data_type: 'timestamp_tz' };
  const define = (id: string, environment: string, syncMode: object) =>
    api.post('/inputs/data-pipelines', {
      ...{ ...base, id, name: id, pipeline_type: 'user_attributes', environment, sync_mode: syncMode },
      ...{ connection_id: TABLE, data_model_id: TABLE, schedule: { type: 'on_demand' } },
    });
  await define('full', 'production', { type: 'full' });
  await define('first', 'development', incremental);
  await define('incremental', 'production', incremental);
}
