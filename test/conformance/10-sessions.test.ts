import { expect, test } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { openLossyProxy } from '../support/crashes/lossy-proxy.ts';
import { sentence, testUnlessWaived } from './fleet.ts';
import { NEVER, openOn, readAll, requestOf } from './reading.ts';

sentence('10. two sessions share no state; a dropped socket is retry', (fixture) => {
  const { sql } = fixture;
  const many = `SELECT n FROM ${sql.series(200_000)}`;

  test('two streams of two sessions, and of one, do not disturb each other', async () => {
    await using warehouse = await fixture.start();
    await using one = await openOn(fixture, warehouse);
    await using other = await openOn(fixture, warehouse);
    const answers = await Promise.all([one, one, other].map((session) => readAll(session, requestOf(many))));
    expect(answers.map(({ rows }) => rows.length)).toEqual([200_000, 200_000, 200_000]);
  });

  test('an abort, a failure and a close of one leave the other alone', async () => {
    await using warehouse = await fixture.start();
    await using kept = await openOn(fixture, warehouse);
    const reading = readAll(kept, requestOf(many, { chunkRows: 100 }));
    const stop = new AbortController();
    const gone = await openOn(fixture, warehouse);
    const aborted = readAll(gone, requestOf(sql.slow), stop.signal);
    await expect(readAll(gone, requestOf(sql.failsAt(10, 5)))).rejects.toMatchObject({ code: 'WAREHOUSE_DATA' });
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'CANCELLED' });
    await gone[Symbol.asyncDispose]();
    expect((await reading).rows).toHaveLength(200_000);
    await expect(kept.clock(NEVER)).resolves.toBeTypeOf('bigint');
  });

  testUnlessWaived(fixture, 'own session state', {
    text: 'what one session sets the other does not see',
    run: async () => {
      const { set = '', read = '' } = sql.ownState ?? {};
      await using warehouse = await fixture.start();
      await using one = await openOn(fixture, warehouse);
      await using other = await openOn(fixture, warehouse);
      await readAll(one, requestOf(set));
      expect((await readAll(one, requestOf(read))).rows).toEqual([['1']]);
      expect((await readAll(other, requestOf(read))).rows).toEqual([[null]]);
    },
  });

  testUnlessWaived(fixture, 'dropped socket', {
    text: 'a dropped socket is retry',
    run: async () => {
      await using warehouse = await fixture.start();
      await using proxy = await openLossyProxy({ host: '127.0.0.1', port: fixture.portOf?.(warehouse) ?? 0 });
      await using session = await openOn(fixture, { ...warehouse, ...fixture.through?.(warehouse, proxy.port) });
      const seen: unknown[] = [];
      const reading = async () => {
        const { chunks } = await session.read(requestOf(many, { chunkRows: 1000 }), NEVER);
        for await (const chunk of chunks) {
          seen.push(...chunk);
          if (seen.length === 5000) proxy.cut();
        }
      };
      await expect(reading()).rejects.toMatchObject({ disposition: 'retry' });
      expect(seen.length).toBeLessThan(200_000);
      await expect(readAll(session, requestOf(many))).rejects.toMatchObject({ disposition: 'retry' });
      proxy.repair();
      expect((await readAll(session, requestOf(many))).rows).toHaveLength(200_000);
      await session[Symbol.asyncDispose]();
      await until(async () => (await warehouse.connections()) === 0);
    },
  });
});
