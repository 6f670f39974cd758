import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { nameOfKey } from '../../../src/runs/write-back/key-name.ts';
import { findSharedKeys } from '../../../src/runs/write-back/shared-keys.ts';
import type { Cell, WriteBackTarget } from '../../../src/warehouse/index.ts';
import { type FakePostgres, says } from '../../support/fakes/fake-postgres.ts';
import { openPostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { openTakingRedshift } from '../../support/fakes/taking-redshift.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { fixtureOf } from '../fleet.ts';
import { NEVER } from '../reading.ts';
import { applyRequest, openWriting, peopleTable, staged, targetOf, writeBackOf } from '../writing-back.ts';

const TARGET: WriteBackTarget = {
  table: 'shop.people',
  key: [
    { name: 'customer_id', type: 'integer', nativeType: 'integer' },
    { name: 'email', type: 'text', nativeType: 'character varying' },
    { name: 'other', type: 'decimal', nativeType: 'numeric(18,4)' },
  ],
  mpid: { name: 'mpid', type: 'integer', nativeType: 'bigint' },
};

async function applyOn(server: FakePostgres) {
  const config = {
    ...{ host: '127.0.0.1', port: String(server.port), database: 'd', user: 'u', password: 'p' },
    sslmode: 'disable',
  };
  await using session = await redshift.open(config, { ...warehouseEnvironment(), writes: true }, NEVER);
  const rows = [staged([1n, "it's", '1.5'], 7n), staged([2n, null, null], 8n)];
  return await writeBackOf(session).apply(applyRequest(TARGET, rows, { label: { run: '5' } }), NEVER);
}

describe('writing back to Redshift', () => {
  it('stages by INSERT with typed parameters, and updates by pattern, in one transaction', async () => {
    await using server = await openTakingRedshift();
    expect(await applyOn(server)).toEqual({ updated: 6, conflicts: 0, listed: [] });
    const sent = server.received.filter((entry) => /^[PQ]/.test(entry)).map((entry) => entry.replaceAll(/\s+/g, ' '));
    expect(sent[1]).toMatch(/^Q BEGIN READ WRITE; /);
    expect(sent[2]).toBe(`Q SET query_group TO 'penstock run=5'`);
    expect(sent[3]).toMatch(/^Q CREATE TEMP TABLE penstock_stg_conformance_7_3 AS SELECT "customer_id" AS k0, /);
    // as a NUMERIC without places a decimal would be rounded
    const [first, second] = ['($1,$2,CAST($3 AS numeric(18,4)),$4,$5)', '($6,$7,CAST($8 AS numeric(18,4)),$9,$10)'];
    expect(sent[4]).toBe(`P INSERT INTO penstock_stg_conformance_7_3 VALUES ${first},${second}`);
    expect(sent.filter((entry) => entry.startsWith('Q UPDATE shop.people AS t SET "mpid" = s.mpid'))).toHaveLength(2);
    expect(sent.at(-1)).toBe('Q COMMIT');
    expect(sent.join('\n')).not.toMatch(/COPY|ANALYZE|ON CONFLICT|RETURNING|DISTINCT FROM/);
  });

  it('tries a lost race for the table again later, as the run says', async () => {
    const error = says.error('XX000', '1023 Serializable isolation violation on table in Redshift');
    await using server = await openTakingRedshift({ holds: 'UPDATE', error });
    await expect(applyOn(server)).rejects.toMatchObject({ disposition: 'retry' });
    expect(server.received).not.toContain('Q COMMIT');
  });
});

describe('writing back to PostgreSQL', () => {
  const fixture = fixtureOf('Redshift');

  it('leaves no table in the database while the session goes on, and names the grant that is missing', async () => {
    await using warehouse = await openPostgresWarehouse();
    const environment = warehouseEnvironment();
    await warehouse.seed(peopleTable(fixture, [['ann', null, null, null, 1]]));
    await using session = await openWriting(fixture, { ...warehouse, environment });
    const target = await targetOf(fixture, session);
    const { apply } = writeBackOf(session);
    await expect(apply(applyRequest(target, [staged('ann', 7n)]), NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_PERMISSION',
      message: expect.stringContaining('people'),
    });
    await warehouse.seed([`GRANT UPDATE (mpid) ON people TO ${warehouse.config.user}`]);
    expect(await apply(applyRequest(target, [staged('ann', 7n)]), NEVER)).toMatchObject({ updated: 1 });
    expect(await warehouse.ask("SELECT relname FROM pg_class WHERE relname LIKE 'penstock_stg%'")).toEqual([]);
  });

  it('sees what others committed since the session read, and leaves it alone', async () => {
    await using warehouse = await openPostgresWarehouse();
    await warehouse.seed([
      ...peopleTable(fixture, [['ann', null, null, null, 1]]),
      `GRANT UPDATE ON people TO ${warehouse.config.user}`,
    ]);
    await using session = await openWriting(fixture, { ...warehouse, environment: warehouseEnvironment() });
    const target = await targetOf(fixture, session);
    const beforeUpdate = async () => {
      await warehouse.seed(["UPDATE people SET mpid = 99 WHERE customer_id = 'ann'"]);
      return [];
    };
    const request = applyRequest(target, [staged('ann', 7n)], { beforeUpdate });
    expect(await writeBackOf(session).apply(request, NEVER)).toEqual({
      ...{ updated: 0, conflicts: 1 },
      listed: [{ key: ['ann'], mpid: 7n, found: 99n }],
    });
  });

  it('tells the texts of shared keys apart by their bytes without md5, which is not there under FIPS', async () => {
    await using warehouse = await openPostgresWarehouse();
    await warehouse.seed([
      "CREATE COLLATION either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      'CREATE TABLE people (customer_id text COLLATE either_case, email text, mpid bigint)',
      "INSERT INTO people VALUES ('Ann', 'a@x.org'), ('ann', 'b@x.org'), ('bob', 'c@x.org'), ('bob', 'd@x.org')",
      'REVOKE EXECUTE ON FUNCTION pg_catalog.md5(text) FROM PUBLIC',
    ]);
    await using session = await openWriting(fixture, { ...warehouse, environment: warehouseEnvironment() });
    const target = await targetOf(fixture, session);
    const addressing = { target, isWhole: false, keyOfCells: ([cell]: readonly Cell[]) => [String(cell)] };
    const shared = await findSharedKeys({
      ...{ session, addressing: { ...addressing, keyOf: () => [], readMpidOf: () => null, mpidAt: 0 } },
      ...{ dialect: redshift.dialect, chunkRows: 10, label: {}, signal: NEVER },
    });
    expect([...shared]).toEqual([nameOfKey(['bob'])]);
  });
});
