import { expect, test } from 'vitest';
import type { Cell } from '../../src/warehouse/index.ts';
import { sentence } from './fleet.ts';
import { NEVER, requestOf, using } from './reading.ts';

sentence('11. no retry inside a connector after the first chunk was handed over', (fixture) => {
  const ROWS = 300_000;

  test.each([[1], [150_000], [ROWS - 1]])(
    'a failure at row %i is an error, never an end, and no row comes twice',
    (at) =>
      using(fixture, async (session) => {
        const seen: Cell[] = [];
        const { chunks } = await session
          .read(requestOf(fixture.sql.failsAt(ROWS, at), { chunkRows: 100 }), NEVER)
          .catch((failure: unknown) => ({ chunks: failing(failure) }));
        const iterator = chunks[Symbol.asyncIterator]();
        const reading = async () => {
          for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
            for (const [n] of next.value) seen.push(n ?? null);
          }
        };
        await expect(reading()).rejects.toMatchObject({
          code: 'WAREHOUSE_DATA',
          message: expect.stringContaining(fixture.sql.failure ?? 'no number'),
        });
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.length).toBeLessThan(ROWS);
        expect(await iterator.next()).toEqual({ done: true, value: undefined });
      }),
  );
});

/** Some products fail before the first row. */
async function* failing(failure: unknown): AsyncGenerator<readonly (readonly Cell[])[]> {
  yield await Promise.reject(failure);
}
