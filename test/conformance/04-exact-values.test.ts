import { expect, test } from 'vitest';
import { wrapModel } from '../../src/warehouse/index.ts';
import { sentence } from './fleet.ts';
import { NEVER, readAll, requestOf, statement, using } from './reading.ts';

sentence('4. exact values', (fixture) => {
  const { exact, sql } = fixture;
  const { dialect } = fixture.connector;

  test('each alone, and as every second row of many, NULL between', () =>
    using(fixture, async (session) => {
      const wrong: unknown[] = [];
      for (const { what, sql: value, type, cell } of exact) {
        const one = `(SELECT 0 AS k, ${value} AS value) AS one`;
        const query = `SELECT value FROM ${sql.series(3000)} LEFT JOIN ${one} ON MOD(n, 2) = k ORDER BY n`;
        const { columns, rows } = await readAll(session, requestOf(query));
        const [first, second] = rows;
        const last = rows[2998];
        const isRight = [first, last].every((row) => Object.is(row?.[0], cell) || equals(row?.[0], cell));
        if (!isRight || second?.[0] !== null || columns[0]?.type !== type) {
          wrong.push({ what, type: columns[0]?.type, first, second, last });
        }
      }
      expect(wrong).toEqual([]);
    }));

  test('all of them in one row', () =>
    using(fixture, async (session) => {
      const query = `SELECT ${exact.map(({ sql: value }, index) => `${value} AS c${index}`).join(', ')}`;
      const { rows } = await readAll(session, requestOf(query));
      expect(rows[0]).toEqual(exact.map(({ cell }) => cell));
    }));

  test('all of them described as their rows come, also where the model stands in a subquery', () =>
    using(fixture, async (session) => {
      const values = [...exact.map((value) => value.sql), 'NULL', "'x'"];
      const model = `SELECT ${values.map((value, index) => `${value} AS c${index}`).join(', ')}`;
      const described = await session.describe(statement(model), NEVER);
      const request = { ...requestOf(''), statement: wrapModel({ sql: model, dialect }), described };
      expect((await readAll(session, request)).rows).toHaveLength(1);
    }));

  test.each([1024 * 1024, 5])('a string of %i characters', (characters) =>
    using(fixture, async (session) => {
      const query = `SELECT ${sql.longText(characters)} AS text FROM ${sql.series(3)}`;
      const { rows } = await readAll(session, requestOf(query));
      expect(rows.map(([text]) => text)).toEqual(new Array(3).fill('x'.repeat(characters)));
    }),
  );
});

function equals(left: unknown, right: unknown): boolean {
  try {
    expect(left).toEqual(right);
    return true;
  } catch {
    return false;
  }
}
