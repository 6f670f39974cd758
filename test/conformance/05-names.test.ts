import { expect, test } from 'vitest';
import { sentence } from './fleet.ts';
import { NEVER, readAll, requestOf, statement, using } from './reading.ts';

sentence('5. names', (fixture) => {
  const quote = fixture.connector.dialect.quoteIdentifier;

  const names = [
    'plain',
    'MixedCase',
    'with space',
    `qu"ote'd`,
    'semi;colon',
    'größe',
    '日本語😀',
    'select',
    'x'.repeat(fixture.sql.longestName),
  ].filter((name) => fixture.sql.refusedNames?.includes(name) !== true);

  test.each(names)('keeps the column name %j', (name) =>
    using(fixture, async (session) => {
      const { columns, rows } = await readAll(session, requestOf(`SELECT 1 AS ${quote(name)}`));
      expect(columns.map((column) => column.name)).toEqual([name]);
      expect(rows).toEqual([[1]]);
    }),
  );

  test('refuses two columns of one name', () =>
    using(fixture, async (session) => {
      for (const query of ['SELECT 1 AS a, 2 AS a', `SELECT 1 AS ${quote('a')}, 2 AS ${quote('a')}`]) {
        await expect(session.describe(statement(query), NEVER)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
        await expect(session.read(requestOf(query), NEVER)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
      }
    }));

  test('finds a table and column whose name needs quotes', () =>
    using(fixture, async (session, warehouse) => {
      const { table, column } = fixture.sql.oddNames ?? { table: 'Odd "table', column: 'Key 1' };
      await warehouse.seed([
        `CREATE TABLE ${quote(table)} (${quote(column)} INTEGER)`,
        `INSERT INTO ${quote(table)} VALUES (5)`,
      ]);
      const query = `SELECT ${quote(column)} FROM ${quote(table)}`;
      expect((await readAll(session, requestOf(query))).rows).toEqual([[5]]);
    }));
});
