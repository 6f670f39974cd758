// Warehouse sync v1 over warehouses that a test decides about: Gamma is scripted, Alpha and Beta have no connector, DuckDB is
// scripted too and does not exist in version 1.
import { Type } from 'typebox';
import { column, type ScriptedWarehouse, scriptedWarehouse } from '../fakes/scripted-warehouse.ts';
import { type Client, openSyncApi, type SyncApi, someFeed, versionOne } from './sync-api.ts';

export interface VersionOne extends AsyncDisposable {
  readonly api: SyncApi;
  /** Version 1, as admin. */
  readonly one: Client;
  /** Version 2, as admin. */
  readonly two: Client;
  readonly gamma: ScriptedWarehouse;
  readonly feed: { readonly id: number; readonly key: string };
}

const text = () => Type.Optional(Type.String({ minLength: 1 }));
const GAMMA = Type.Object(
  {
    ...{ host: Type.String(), database: Type.String(), user: Type.String(), password: Type.String({ minLength: 1 }) },
    ...{ port: text(), aws_iam_role_arn: text(), sslmode: text(), token: text() },
  },
  { additionalProperties: false },
);

export async function openVersionOne(): Promise<VersionOne> {
  const gamma = scriptedWarehouse('Gamma', GAMMA);
  const duckdb = scriptedWarehouse('DuckDB');
  for (const { tables } of [gamma, duckdb]) {
    tables.set('purchases', [
      ...[column('customer_id', 'text'), column('amount', 'decimal')],
      ...[column('updated_at', 'timestamp_tz'), column('bought_at', 'timestamp'), column('seen_ms', 'integer')],
    ]);
  }
  const api = await openSyncApi({ fleet: { Gamma: gamma.connector, DuckDB: duckdb.connector } });
  const feed = await someFeed(api, 'the feed');
  return {
    ...{ api, gamma, feed, one: versionOne(api, api.admin), two: api.admin },
    [Symbol.asyncDispose]: api[Symbol.asyncDispose],
  };
}

export const connectionOne = {
  ...{ id: 'shop', name: 'The shop', type: 'gamma', host: 'db.example.com', port: '5432', database: 'shop' },
  ...{ user: 'penstock', password: 'hunter2' },
};

export const modelOne = {
  ...{ id: 'buyers', name: 'Buyers', type: 'sql', sql_query: 'SELECT * FROM purchases' },
  ...{ load_timestamp_field_name: 'updated_at', load_timestamp_field_type: 'timestamp_tz' },
};

export const pipelineOne = {
  ...{ id: 'buyers-to-profiles', name: 'Buyers become profiles', connection_id: 'shop', data_model_id: 'buyers' },
  ...{ schedule_start_time: '2024-06-01T00:00:00Z', schedule_interval: 'daily', environment: 'production' },
};

/** Connection, model and the pipeline of `pipelineOne`, with the feed and what `changes` says. */
export async function somePipelineOne({ one, feed }: VersionOne, changes: object = {}) {
  await one.post('/connections', connectionOne);
  await one.post('/data-models', modelOne);
  return one.post('/pipelines', { ...pipelineOne, partner_feed_id: feed.id, ...changes });
}
