// The grants of `penstock warehouse setup-sql` on PostgreSQL are what its user needs, and nothing but what it needs: on a
// database that gives nobody anything by itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { queueErasedMpids } from '../../../src/runs/index.ts';
import type { Column, ConnectionConfig } from '../../../src/warehouse/index.ts';
import type { Fixture } from '../../conformance/fixture.ts';
import { fixtureOf } from '../../conformance/fleet.ts';
import { NEVER, readAll, requestOf, statement } from '../../conformance/reading.ts';
import { applyRequest, staged, writeBackOf } from '../../conformance/writing-back.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { commandLine } from '../../support/runner/command-line.ts';
import { countsOf } from '../../support/runs/test-engine.ts';
import { openWrittenBack } from '../../support/runs/written-back.ts';

const { json } = commandLine({});

interface Script {
  readonly before: readonly string[];
  readonly statements: readonly { readonly sql: string }[];
  readonly keep: readonly { readonly what: string; readonly where: string }[];
}

const SHOP = [
  'CREATE SCHEMA shop',
  'CREATE TABLE shop.people (customer_id text, email text, note text)',
  "INSERT INTO shop.people VALUES ('ann', 'a@x.org', 'hers'), (NULL, 'b@x.org', 'his'), ('ann', 'a@x.org', 'again')",
  'CREATE TABLE shop.wages (customer_id text, mpid bigint)',
];

/** Roles are the whole server's, and go with the warehouse; both names need quotes. */
function namesOf({ config: { database } }: PostgresWarehouse) {
  return { database, role: `${database} Rôle; --`, user: `${database}@Sync` };
}

async function scriptFor(warehouse: PostgresWarehouse): Promise<Script> {
  const { database, role, user } = namesOf(warehouse);
  const place = ['--database', database, '--schema', 'Shop', '--table', 'PEOPLE'];
  const who = ['--role', role, '--user', user];
  return await json<Script>('warehouse', 'setup-sql', '--provider', 'postgresql', ...place, ...who);
}

/** A shop's database from which everybody's rights were taken, without the user as yet. */
async function openShop(): Promise<PostgresWarehouse> {
  const warehouse = await openPostgresWarehouse();
  const hardened = [`DATABASE ${warehouse.config.database}`, 'SCHEMA public'].map(
    (of) => `REVOKE ALL ON ${of} FROM PUBLIC`,
  );
  await warehouse.seed([...SHOP, ...hardened]);
  return warehouse;
}

async function closeShop(warehouse: PostgresWarehouse): Promise<void> {
  const [role, user] = [namesOf(warehouse).role, namesOf(warehouse).user].map((name) => `"${name}"`);
  await warehouse.seed([`DROP OWNED BY ${role}, ${user}`, `DROP ROLE ${user}`, `DROP ROLE ${role}`]);
  await warehouse[Symbol.asyncDispose]();
}

/** The statements, and the line for PostgreSQL in the comments. */
function statementsOf({ before, statements }: Script): readonly string[] {
  const connect = before.filter((line) => line.startsWith('GRANT CONNECT'));
  return [...statements.map(({ sql }) => sql), ...connect];
}

/** The connection's configuration as the script says to keep it. */
function configOf(warehouse: PostgresWarehouse, { keep }: Script): ConnectionConfig {
  const { host, port, sslmode } = warehouse.config;
  const kept = keep.flatMap(({ where, what }) => [...where.matchAll(/config\.(\w+)/g)].map(([, name]) => [name, what]));
  return { ...Object.fromEntries(kept), host, port, sslmode };
}

const SIGHT = { ...warehouseEnvironment(), writes: true as const };

/** Reads the table and writes one MPID to it. */
async function readAndWrite(config: ConnectionConfig, table = 'shop.people'): Promise<void> {
  await using session = await redshift.open(config, SIGHT, NEVER);
  const sql = `SELECT customer_id, mpid FROM ${table}`;
  const [key, mpid] = await session.describe(statement(sql), NEVER);
  await readAll(session, requestOf(sql));
  const target = { table, key: [key as Column], mpid: mpid as Column };
  await writeBackOf(session).apply(applyRequest(target, [staged('ann', 7n)]), NEVER);
}

describe('the user that the statements for PostgreSQL make', () => {
  let warehouse: PostgresWarehouse;
  let script: Script;
  let config: ConnectionConfig;
  beforeAll(async () => {
    warehouse = await openShop();
    script = await scriptFor(warehouse);
    await warehouse.seed(statementsOf(script));
    config = configOf(warehouse, script);
  });
  afterAll(() => closeShop(warehouse));

  it('passes every stage of the test of the connection', async () => {
    await using session = await redshift.open(config, warehouseEnvironment(), NEVER);
    const stages = await session.probe(NEVER);
    expect(stages.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed', 'passed', 'passed']);
  });

  it('writes MPIDs back in whole runs, clears those of erased people, and reads for any pipeline', async () => {
    const fixture: Fixture = {
      ...fixtureOf('Redshift'),
      start: async () => ({
        ...{ config, environment: warehouseEnvironment(), connections: async () => 0 },
        seed: warehouse.seed,
        [Symbol.asyncDispose]: async () => undefined,
      }),
    };
    await using here = await openWrittenBack(fixture, []);
    const pipeline = await here.pipeline({ sqlQuery: 'SELECT customer_id, email, mpid FROM shop.people' });
    expect(await here.run(pipeline)).toMatchObject({ writtenRecords: 3n, conflictingRecords: 0n });
    const [ann, bob] = await here.resolve([
      ['ann', 'a@x.org'],
      [null, 'b@x.org'],
    ]);
    const erased = { workspaceId: here.workspace, mpids: [bob as bigint], nowMs: 0 };
    await here.store.transaction((tx) => queueErasedMpids(tx, erased));
    await here.run(pipeline);
    const rows = await warehouse.ask('SELECT note, mpid FROM shop.people ORDER BY note');
    expect(rows.map(({ mpid }) => mpid === String(ann))).toEqual([true, true, false]);
    const reading = {
      id: 'notes',
      sqlQuery: 'SELECT customer_id, note FROM shop.people WHERE customer_id IS NOT NULL',
    };
    expect(
      countsOf(await here.run(await here.pipeline({ ...reading, kept: { partnerFeedId: undefined } as object }))),
    ).toEqual([...[2, 2, 0, 0, 0]]);
  });

  it.each([
    'SELECT * FROM shop.wages',
    'DELETE FROM shop.people',
    'TRUNCATE shop.people',
    'ALTER TABLE shop.people ADD COLUMN more text',
    'CREATE TABLE shop.mine (n int)',
    'CREATE TABLE public.mine (n int)',
    'CREATE SCHEMA mine',
  ])('may not do more: %s', async (sql) => {
    const { user } = namesOf(warehouse);
    await expect(warehouse.seed([`SET SESSION AUTHORIZATION "${user}"`, sql])).rejects.toThrow(/permission|owner/);
  });
});

describe('each statement for PostgreSQL is needed', () => {
  it.each([
    ['who is in the group', /^ALTER GROUP/, 'It needs GRANT CONNECT ON DATABASE'],
    ['use of the schema', /^GRANT USAGE/, 'It needs GRANT USAGE ON SCHEMA shop'],
    ['SELECT', 'SELECT, ', 'It needs GRANT SELECT ON people'],
    ['UPDATE', ', UPDATE', 'It needs GRANT UPDATE ON people'],
    ['TEMP tables', /^GRANT TEMPORARY/, 'It needs GRANT TEMPORARY ON DATABASE'],
    ['the connection, where it was taken from everybody', /^GRANT CONNECT/, 'It needs GRANT CONNECT ON DATABASE'],
    ['the column', /^ALTER TABLE/, 'column "mpid" does not exist'],
    // The specification grants it; Penstock adds no row.
    ['INSERT, which is not', ', INSERT', undefined],
  ])('%s', async (_, without, message) => {
    const warehouse = await openShop();
    try {
      const script = await scriptFor(warehouse);
      const all = statementsOf(script);
      const left = all
        .filter((sql) => typeof without === 'string' || !without.test(sql))
        .map((sql) => (typeof without === 'string' ? sql.replace(without, '') : sql));
      expect(left).not.toEqual(all);
      await warehouse.seed(left);
      const trial = readAndWrite(configOf(warehouse, script));
      await (message === undefined ? trial : expect(trial).rejects.toThrow(message));
    } finally {
      await closeShop(warehouse);
    }
  });
});
