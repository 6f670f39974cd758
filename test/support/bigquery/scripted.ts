// A BigQuery whose answers a test scripts, without the emulator: it returns the given faults and values.
import { bigquery } from '../../../connectors/bigquery/index.ts';
import type { ConnectorEnvironment, Session } from '../../../src/warehouse/index.ts';
import { warehouseEnvironment } from '../fakes/warehouse-environment.ts';
import {
  type JobsApi,
  openJobsApi,
  type QueryAnswer,
  type QueryEngine,
  type WireField,
  type WireRow,
} from './jobs-api.ts';
import { EMAIL, PRIVATE_KEY } from './service-account-key.ts';
import { openStorageApi, type StorageApi } from './storage-api.ts';

export const CONFIG = {
  project_id: 'my-project',
  dataset_id: 'shop',
  service_account_id: EMAIL,
  service_account_key: PRIVATE_KEY,
};

export interface Scripted extends AsyncDisposable {
  readonly api: JobsApi;
  readonly storage: StorageApi;
  /** What every query answers; a test may change it. */
  answer: QueryAnswer;
  open(config?: object, decided?: Partial<ConnectorEnvironment>): Promise<Session>;
  /** Opens a connection that signs in at `signInEndpoint`; without one, no sign-in is made. */
  openWith(config: object, decided?: Partial<ConnectorEnvironment>, signInEndpoint?: string): Promise<Session>;
}

export const NUMBERS: readonly WireField[] = [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' }];

export function numbers(count: number, from = 0): readonly WireRow[] {
  return Array.from({ length: count }, (_, at) => ({ f: [{ v: String(from + at) }] }));
}

export async function openScripted(answer: QueryAnswer, engine: Partial<QueryEngine> = {}): Promise<Scripted> {
  const api = await openJobsApi({
    run: async () => scripted.answer,
    describe: async () => ({ fields: scripted.answer.fields, statementType: 'SELECT' }),
    other: async ({ path }) => ({ status: 200, body: path.includes('/tables') ? {} : { location: 'europe-west4' } }),
    ...engine,
  });
  const storage = await openStorageApi(api);
  const host = '127.0.0.1';
  const bigqueryAt = { apiEndpoint: `http://${host}:${api.port}`, storageEndpoint: { host, port: storage.port } };
  const openWith: Scripted['openWith'] = (config, decided = {}, signInEndpoint) => {
    const endpoints = { bigquery: { ...bigqueryAt, ...(signInEndpoint === undefined ? {} : { signInEndpoint }) } };
    const environment = warehouseEnvironment({ endpoints, ...decided });
    return bigquery.open({ ...config }, environment, new AbortController().signal);
  };
  const scripted: Scripted = {
    api,
    storage,
    answer,
    open: (config = {}, decided = {}) => openWith({ ...CONFIG, ...config }, decided),
    openWith,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
  return scripted;
}
