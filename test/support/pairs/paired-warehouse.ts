import { Type } from 'typebox';
import { AppError } from '../../../src/kernel/index.ts';
import type { Cell, Connector } from '../../../src/warehouse/index.ts';
import type { HandClock } from '../clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../fakes/fake-warehouse.ts';
import { COLUMNS } from '../people/people-runs.ts';

/** Servers that connections name as their database, each with a password and outages of its own. */
export interface PairedWarehouse {
  readonly connector: Connector;
  readonly servers: Map<string, { password: string; isAway: boolean }>;
  /** By table: a model reads its rows when it says `FROM <table>`. */
  readonly tables: Map<string, readonly (readonly Cell[])[]>;
  /** Waited for before each chunk but the first. */
  gate: FakeWarehouse['gate'];
}

export function pairedWarehouse(clock: HandClock): PairedWarehouse {
  const fake = fakeWarehouse({ columns: COLUMNS, iterator: 'at', nowMs: () => clock.nowMs() });
  const tables: PairedWarehouse['tables'] = new Map();
  const servers: PairedWarehouse['servers'] = new Map();
  const open: Connector['open'] = async (config, environment, signal) => {
    admit(servers, config);
    const session = await fake.connector.open(config, environment, signal);
    return Object.create(session, {
      read: {
        value: (...[request, aborted]: Parameters<typeof session.read>) => {
          // the rows are taken when the read begins
          fake.rows = tables.get(/FROM (\w+)/.exec(request.statement.sql)?.[1] ?? '') ?? [];
          return session.read(request, aborted);
        },
      },
    });
  };
  const configSchema = Type.Object({ database: Type.String(), password: Type.String() });
  const connector: Connector = { ...fake.connector, configSchema, secretFields: ['password'], open };
  const warehouse: PairedWarehouse = { connector, servers, tables, gate: async () => undefined };
  fake.gate = (chunk, signal) => warehouse.gate(chunk, signal);
  return warehouse;
}

function admit(servers: PairedWarehouse['servers'], { database, password }: Readonly<Record<string, unknown>>): void {
  const server = servers.get(String(database));
  if (server?.isAway) throw new AppError('WAREHOUSE_UNREACHABLE', 'The server does not answer.');
  if (server?.password !== password) throw new AppError('WAREHOUSE_CREDENTIALS', 'The password is wrong.');
}
