// Real warehouses that a test can fill: those that need no account.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Provider } from '../../../connectors/facts.ts';
import { FLEET } from '../../../connectors/index.ts';
import type { Connector } from '../../../src/warehouse/index.ts';
import { openPostgresWarehouse } from './postgres-warehouse.ts';

export interface RealWarehouse extends AsyncDisposable {
  readonly connector: Connector;
  readonly config: Readonly<Record<string, unknown>>;
  /** Folder of the workspace's files. */
  readonly folder: string;
  /** Statements that both kinds understand, one after the other. Not while a run reads. */
  run(...statements: readonly string[]): Promise<void>;
  /** New sessions begin in that zone, where the warehouse keeps such a setting; else they have that of this process. */
  moveSessions(zone: string): Promise<void>;
}

/** Providers of this build that such a warehouse exists for, with a name for the tests. */
export const REAL_WAREHOUSES: readonly (readonly [name: string, open: () => Promise<RealWarehouse>])[] = [
  ['DuckDB', openDuckdb] as const,
  ['PostgreSQL', openPostgres] as const,
].filter(([name]) => name === 'DuckDB' || FLEET.Gamma !== undefined);

function connectorOf(provider: Provider): Connector {
  const connector = FLEET[provider];
  if (connector === undefined) throw new Error(`There is no connector for ${provider}.`);
  return connector;
}

async function openDuckdb(): Promise<RealWarehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-warehouse-'));
  return {
    ...{ connector: connectorOf('DuckDB'), config: { database: 'shop.duckdb' }, folder },
    async run(...statements) {
      const instance = await DuckDBInstance.create(join(folder, 'shop.duckdb'), { threads: '1' });
      const connection = await instance.connect();
      try {
        await connection.run("SET TimeZone = 'UTC'");
        for (const statement of statements) await connection.run(statement);
      } finally {
        connection.closeSync();
        instance.closeSync();
      }
    },
    moveSessions: async () => undefined,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function openPostgres(): Promise<RealWarehouse> {
  const warehouse = await openPostgresWarehouse();
  return {
    ...{ connector: connectorOf('Gamma'), config: warehouse.config, folder: '/nowhere' },
    run: (...statements) => warehouse.seed(["SET TimeZone = 'UTC'", ...statements]),
    moveSessions: (zone) => warehouse.seed([`ALTER DATABASE ${warehouse.config.database} SET TimeZone = '${zone}'`]),
    [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose](),
  };
}
