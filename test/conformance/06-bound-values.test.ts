import { expect, test } from 'vitest';
import { sentence } from './fleet.ts';
import { NEVER, readAll, statement, using } from './reading.ts';

sentence('6. a bound value never changes the statement', (fixture) => {
  const { sql, connector } = fixture;

  test.each([
    "'; DROP TABLE place; --",
    "' OR '1'='1",
    '$value',
    ':value',
    '?',
    '\\',
    "\\'",
    '/*',
    'a\nb',
    '😀',
    'x'.repeat(100_000),
  ])('gives %j back as it is', (value) =>
    using(fixture, async (session) => {
      const echo = statement(sql.echo(connector.dialect.placeholder('value')), { value });
      const { rows } = await readAll(session, { statement: echo, chunkRows: 10, chunkBytes: 1_000_000 });
      expect(rows).toEqual([[value]]);
      expect(await session.describe(statement('SELECT a FROM place'), NEVER)).toHaveLength(1);
    }),
  );

  test.each([0n, 9223372036854775807n, -9223372036854775808n])('binds the integer %d exactly', (value) =>
    using(fixture, async (session) => {
      const echo = statement(sql.echo(connector.dialect.placeholder('value')), { value });
      const { rows } = await readAll(session, { statement: echo, chunkRows: 10, chunkBytes: 1_000_000 });
      expect(rows).toEqual([[String(value)]]);
    }),
  );
});
