import { expect, test } from 'vitest';
import { sentence } from './fleet.ts';
import { NEVER, readAll, requestOf, statement, using } from './reading.ts';

sentence('1. every row exactly once, chunks no larger than asked, columns known even for zero rows', (fixture) => {
  const { sql } = fixture;
  const named = (name: string) => sql.fold?.(name) ?? name;

  test('hands out every row once', () =>
    using(fixture, async (session) => {
      const rows = 50_001;
      const answer = await readAll(session, requestOf(`SELECT n, n + 1 AS m FROM ${sql.series(rows)}`));
      const seen = new Set(answer.rows.map(([n]) => n));
      expect(answer.rows).toHaveLength(rows);
      expect(seen.size).toBe(rows);
      expect(answer.rows.every(([n, m]) => Number(m) === Number(n) + 1)).toBe(true);
    }));

  test.each([1, 7, 1000, 2048, 2049, 100_000])('keeps chunks to %i rows', (chunkRows) =>
    using(fixture, async (session) => {
      const rows = chunkRows === 1 ? 100 : 10_000;
      const answer = await readAll(session, requestOf(`SELECT n FROM ${sql.series(rows)}`, { chunkRows }));
      expect(answer.rows).toHaveLength(rows);
      expect(Math.max(...answer.chunkSizes)).toBeLessThanOrEqual(chunkRows);
      expect(answer.chunkSizes).toHaveLength(Math.ceil(rows / chunkRows));
    }),
  );

  test('ends a chunk early when it holds about the bytes it may', () =>
    using(fixture, async (session) => {
      const text = sql.longText(100_000);
      const request = requestOf(`SELECT n, ${text} AS text FROM ${sql.series(500)}`, { chunkBytes: 1_000_000 });
      const { chunkSizes, rows } = await readAll(session, request);
      expect(rows).toHaveLength(500);
      expect(Math.max(...chunkSizes)).toBeLessThanOrEqual(64);
      expect(chunkSizes[2]).toBeLessThanOrEqual(15);
    }));

  test('knows the columns of zero rows, and describes them without running anything', () =>
    using(fixture, async (session) => {
      const query = `SELECT n, 'x' AS text FROM ${sql.series(10)} WHERE n < 0`;
      const { columns, rows, chunkSizes } = await readAll(session, requestOf(query));
      expect(columns).toMatchObject([
        { name: named('n'), type: 'integer' },
        { name: named('text'), type: 'text' },
      ]);
      expect([rows, chunkSizes]).toEqual([[], []]);
      expect(await session.describe(statement(query), NEVER)).toEqual(columns);
      expect(await session.describe(statement(sql.slow), NEVER)).toMatchObject([{ name: 'rows', type: 'integer' }]);
    }));

  test('reads nothing ahead but one chunk: it waits for whoever consumes', () =>
    using(fixture, async (session) => {
      const { chunks } = await session.read(
        requestOf(`SELECT n FROM ${sql.series(1_000_000)}`, { chunkRows: 100 }),
        NEVER,
      );
      let seen = 0;
      for await (const chunk of chunks) {
        seen += chunk.length;
        if (seen >= 1000) break;
      }
      expect(seen).toBe(1000);
    }));
});
