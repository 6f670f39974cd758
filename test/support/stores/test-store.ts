import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { isAskedByTest, requireDistributable } from './distribution-rules.ts';
import { TEMPLATE } from './store-setup.ts';

interface TestStoreOptions {
  readonly poolSize?: number;
  /** Without any migration. */
  readonly empty?: boolean;
}

/** A store of its own: a database cloned from the migrated template, dropped when disposed (`await using`). */
export async function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  const database = `t_${randomUUID().replaceAll('-', '')}`;
  // without fsync a copy of the files is half the price of a copy through the WAL
  await maintain(`CREATE DATABASE ${database} TEMPLATE ${options.empty ? 'template1' : TEMPLATE} STRATEGY FILE_COPY`);
  const url = new URL(inject('storeUrl'));
  url.pathname = `/${database}`;
  const session = {
    databaseUrl: new Secret(url.href),
    poolSize: options.poolSize ?? 10,
    log: createLog('silent'),
  };
  const plain = openStore(session);
  const store = openStore({
    ...session,
    onStatement: requireDistributable,
    whenClosed: async () => {
      await plain[Symbol.asyncDispose]();
      await maintain(`DROP DATABASE ${database} WITH (FORCE)`);
    },
  });
  // drizzle sends its statement when nobody can tell any more who asked: here it can still be seen
  const { get: watched } = Object.getOwnPropertyDescriptor(store, 'orm') ?? {};
  return Object.defineProperty(store, 'orm', { get: () => (isAskedByTest() ? plain.orm : watched?.call(store)) });
}

/** One connection a worker and server: a new one for each database that comes and goes cost a third of making it. */
const maintenance = new Map<string, Promise<Client>>();

async function maintain(statement: string): Promise<void> {
  const url = inject('storeUrl');
  const connected = maintenance.get(url) ?? connect(url);
  maintenance.set(url, connected);
  await (await connected).query(statement);
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // the server stops when all tests are over, and nobody needs to hear of it
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
