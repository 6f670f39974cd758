// Names of the configuration that stand in quotes, as Snowflake's own documents write them: each is quoted once.
import { expect, it } from 'vitest';
import type { Column } from '../../../src/warehouse/index.ts';
import { openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { NEVER } from '../reading.ts';
import { applyRequest, staged, writeBackOf } from '../writing-back.ts';
import { openOn } from './open-on.ts';

const QUOTED = { database: '"my-db"', role: '"my-role"', warehouse: '"my-wh"' };
const column = (name: string): Column => ({ name, type: 'text', nativeType: 'TEXT' });
const TARGET = { table: 't', key: [column('ID')], mpid: column('MPID') };

it.each([
  ['"my-db"', '"my-db".'],
  ['my-db', '"my-db".'],
  ['Shop', 'Shop.'],
])('stages in the database %s', async (database, written) => {
  await using server = await openFakeSnowflake();
  await using session = await openOn(server.port, { database }, { writes: true });
  await writeBackOf(session)
    .apply(applyRequest(TARGET, [staged('ann', 7n)]), NEVER)
    .catch(() => undefined);
  expect(server.statements[0]?.sqlText).toMatch(/^CREATE TEMPORARY TABLE /);
  expect(server.statements[0]?.sqlText.split(' ')[3]).toContain(written);
  expect(server.signIns[0]?.query.databaseName).toBe(database);
});

it('writes grants that can be run', async () => {
  const rows = [['0']];
  const columns = [{ name: 'N', type: 'fixed', scale: 0 }];
  await using server = await openFakeSnowflake({ answer: () => ({ columns, rows }) });
  await using session = await openOn(server.port, QUOTED);
  expect((await session.probe(NEVER)).at(-1)?.message).toContain(
    'GRANT SELECT ON ALL TABLES IN DATABASE "my-db" TO ROLE "my-role"',
  );
});
