// Faults at each step that writes, on a PostgreSQL: the table is another by then, the answer is lost, somebody else
// writes too.
import { describe, expect, it } from 'vitest';
import type { WriteBackTarget } from '../../../src/warehouse/index.ts';
import { openLostAnswer } from '../../support/crashes/lost-answer.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { fixtureOf } from '../fleet.ts';
import { NEVER } from '../reading.ts';
import {
  applyRequest,
  openWriting,
  type PersonRow,
  peopleTable,
  staged,
  targetOf,
  writeBackOf,
} from '../writing-back.ts';

const fixture = fixtureOf('Redshift');
const PEOPLE: readonly PersonRow[] = [
  ['ann', 'a@x.org', null, 'one', 1],
  ['bob', 'b@x.org', null, 'two', 2],
];
const ANN = [staged('ann', 7n)];
const BOTH = [staged('ann', 7n), staged('bob', 8n)];

const openOn = (warehouse: PostgresWarehouse) =>
  openWriting(fixture, { ...warehouse, environment: warehouseEnvironment() });
const grant = ({ config }: PostgresWarehouse, table = 'people') => `GRANT UPDATE ON ${table} TO ${config.user}`;
const mpids = async ({ ask }: PostgresWarehouse) =>
  (await ask('SELECT mpid FROM people ORDER BY n')).map(({ mpid }) => mpid);
const staging = ({ ask }: PostgresWarehouse) => ask("SELECT relname FROM pg_class WHERE relname LIKE 'penstock_stg%'");

async function opened(statements: readonly string[] = peopleTable(fixture, PEOPLE)): Promise<PostgresWarehouse> {
  const warehouse = await openPostgresWarehouse();
  await warehouse.seed([...statements, grant(warehouse)]);
  return warehouse;
}

/** By a session that is closed again: as long as one is open, no statement changes what it has read. */
async function describedOn(warehouse: PostgresWarehouse): Promise<WriteBackTarget> {
  await using session = await openOn(warehouse);
  return await targetOf(fixture, session);
}

describe('writing back to PostgreSQL', () => {
  it('names the grant that is missing, which is not the one to read', async () => {
    await using warehouse = await openPostgresWarehouse();
    await warehouse.seed(peopleTable(fixture, PEOPLE));
    await using session = await openOn(warehouse);
    const target = await targetOf(fixture, session);
    const { apply, clear } = writeBackOf(session);
    for (const refused of [() => apply(applyRequest(target, ANN), NEVER), () => clear(target, [7n], NEVER)]) {
      await expect(refused()).rejects.toMatchObject({
        code: 'WAREHOUSE_PERMISSION',
        message: expect.stringContaining('It needs GRANT UPDATE ON people for config.user.'),
      });
    }
  });

  it.each([
    ['is dropped', ['DROP TABLE people'], 'WAREHOUSE_OBJECT_MISSING'],
    ['is renamed', ['ALTER TABLE people RENAME TO persons'], 'WAREHOUSE_OBJECT_MISSING'],
    ['loses its column', ['ALTER TABLE people DROP COLUMN mpid'], 'WAREHOUSE_OBJECT_MISSING'],
    [
      'gets a column that computes itself',
      ['ALTER TABLE people DROP COLUMN mpid', 'ALTER TABLE people ADD mpid bigint GENERATED ALWAYS AS (n) STORED'],
      'WAREHOUSE_SQL_INVALID',
    ],
    ['gets a column of texts', ['ALTER TABLE people ALTER mpid TYPE text'], 'WAREHOUSE_SQL_INVALID'],
    [
      'becomes a view of two tables',
      [
        'ALTER TABLE people RENAME TO persons',
        'CREATE VIEW people AS SELECT p.* FROM persons AS p CROSS JOIN (SELECT 1) AS one',
      ],
      'WAREHOUSE_DATA',
    ],
  ])(
    'is a fault where the table %s between reading and writing, and leaves no staging',
    async (_, statements, code) => {
      await using warehouse = await opened();
      const target = await describedOn(warehouse);
      await warehouse.seed([...statements]);
      const here = await warehouse.ask("SELECT 1 FROM pg_class WHERE relname = 'people'");
      if (here.length > 0) await warehouse.seed([grant(warehouse)]);
      await using session = await openOn(warehouse);
      const failing = writeBackOf(session).apply(applyRequest(target, ANN), NEVER);
      await expect(failing).rejects.toMatchObject({ code, disposition: 'fault' });
      expect(await staging(warehouse)).toEqual([]);
    },
  );

  it('writes through a view that its server can write through', async () => {
    await using warehouse = await opened([
      ...peopleTable(fixture, PEOPLE).map((text) => text.replaceAll(' people', ' persons')),
      'CREATE VIEW people AS SELECT * FROM persons WHERE n = 1',
    ]);
    await using session = await openOn(warehouse);
    const target = await targetOf(fixture, session);
    expect(await writeBackOf(session).apply(applyRequest(target, BOTH), NEVER)).toEqual({
      ...{ updated: 1, conflicts: 1 },
      listed: [{ key: ['bob'], mpid: 8n, found: 'gone' }],
    });
  });

  it('tries again where the answer to its COMMIT is lost, and finds that nothing is left to do', async () => {
    await using warehouse = await opened();
    const { host, port } = warehouse.config;
    await using proxy = await openLostAnswer({ host, port: Number(port) }, 'COMMIT');
    await using session = await openOn({ ...warehouse, config: { ...warehouse.config, port: String(proxy.port) } });
    const target = await targetOf(fixture, session);
    const { apply } = writeBackOf(session);
    await expect(apply(applyRequest(target, BOTH), NEVER)).rejects.toMatchObject({ disposition: 'retry' });
    expect(proxy.lost()).toBe(1);
    expect(await mpids(warehouse)).toEqual(['7', '8']);
    expect(await apply(applyRequest(target, BOTH), NEVER)).toEqual({ updated: 0, conflicts: 0, listed: [] });
  });

  it('waits for who writes the same rows, and leaves alone what that one has written', async () => {
    await using warehouse = await opened();
    await using first = await openOn(warehouse);
    await using second = await openOn(warehouse);
    const target = await targetOf(fixture, first);
    const both = await Promise.all([
      writeBackOf(first).apply(applyRequest(target, BOTH), NEVER),
      writeBackOf(second).apply(applyRequest(target, [staged('bob', 8n), staged('ann', 9n)]), NEVER),
    ]);
    expect(both.map(({ updated }) => updated).sort()).toEqual([0, 2]);
    expect(both.map(({ conflicts }) => conflicts).sort()).toEqual([0, 1]);
    const ann = both[0].updated === 2 ? '7' : '9';
    expect(await mpids(warehouse)).toEqual([ann, '8']);
  });

  it.each([
    ['char(8)', "'ann'", 'ann     '],
    ['varchar(8)', "'ann '", 'ann '],
    ['uuid', "'a81bc81b-dead-4e5d-abff-90865d1e13b1'", 'a81bc81b-dead-4e5d-abff-90865d1e13b1'],
    ['numeric', '7.00', '7'],
    ['numeric(38,0)', '-99999999999999999999999999999999999999', '-99999999999999999999999999999999999999'],
    ['bigint', '-9223372036854775808', -9223372036854775808n],
    ['other', "'two'", 'two'],
  ])('finds a key of type %s', async (type, literal, key) => {
    await using warehouse = await opened([
      "CREATE TYPE other AS ENUM ('one', 'two')",
      `CREATE TABLE people (customer_id ${type}, mpid numeric(38,0), n integer)`,
      `INSERT INTO people VALUES (${literal}, NULL, 1), (NULL, NULL, 2)`,
    ]);
    await using session = await openOn(warehouse);
    const target = await targetOf(fixture, session);
    const { apply } = writeBackOf(session);
    expect(await apply(applyRequest(target, [staged(key, 7n)]), NEVER)).toEqual({
      updated: 1,
      conflicts: 0,
      listed: [],
    });
    expect(await apply(applyRequest(target, [staged(key, 7n)]), NEVER)).toEqual({
      updated: 0,
      conflicts: 0,
      listed: [],
    });
    expect(await mpids(warehouse)).toEqual(['7', null]);
  });
});
