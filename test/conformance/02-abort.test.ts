import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { sentence, testUnlessWaived } from './fleet.ts';
import { NEVER, openOn, readAll, requestOf, statement, using } from './reading.ts';

sentence('2. an abort before the start touches nothing; in mid-stream it stops, cancels, frees', (fixture) => {
  const { sql, connector } = fixture;
  const many = `SELECT n FROM ${sql.series(sql.endless ?? 50_000_000)}`;

  test('touches nothing when it is aborted already', async () => {
    await using warehouse = await fixture.start();
    const { config, environment } = warehouse;
    await expect(connector.open(config, environment, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await warehouse.connections()).toBe(0);
    await using session = await openOn(fixture, warehouse);
    await expect(session.read(requestOf(many), AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(session.describe(statement(many), AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(session.clock(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(session.probe(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await warehouse.connections()).toBe(0);
  });

  test('stops within a chunk in mid-stream, and is CANCELLED, not at an end', () =>
    using(fixture, async (session) => {
      const stop = new AbortController();
      const { chunks } = await session.read(requestOf(many, { chunkRows: 500 }), stop.signal);
      let after = 0;
      const reading = (async () => {
        for await (const _ of chunks) {
          if (stop.signal.aborted) after += 1;
          stop.abort();
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(after).toBe(0);
      // the session is free for the next
      expect((await readAll(session, requestOf(`SELECT n FROM ${sql.series(10)}`))).rows).toHaveLength(10);
    }));

  test('cancels on the server a statement that has given no row yet', () =>
    using(fixture, async (session) => {
      const stop = new AbortController();
      const reading = readAll(session, requestOf(sql.slow), stop.signal);
      await sleep(100);
      const began = performance.now();
      stop.abort();
      await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(performance.now() - began).toBeLessThan(20_000);
      expect((await readAll(session, requestOf(`SELECT n FROM ${sql.series(10)}`))).rows).toHaveLength(10);
    }));

  test.each([0, 1, 5, 20])('cancels a statement that began %i ms ago', async (delayMs) => {
    await using warehouse = await fixture.start();
    const session = await openOn(fixture, warehouse);
    const stop = new AbortController();
    const reading = readAll(session, requestOf(sql.slow), stop.signal);
    if (delayMs > 0) await sleep(delayMs);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    await session[Symbol.asyncDispose]();
    await until(async () => (await warehouse.connections()) === 0);
  });

  testUnlessWaived(fixture, 'counted connections', {
    text: 'frees the connection after an abort',
    run: async () => {
      await using warehouse = await fixture.start();
      const stop = new AbortController();
      const session = await openOn(fixture, warehouse);
      const { chunks } = await session.read(requestOf(many), stop.signal);
      const iterator = chunks[Symbol.asyncIterator]();
      await iterator.next();
      expect(await warehouse.connections()).toBeGreaterThan(0);
      stop.abort();
      await expect(iterator.next()).rejects.toMatchObject({ code: 'CANCELLED' });
      await session[Symbol.asyncDispose]();
      await until(async () => (await warehouse.connections()) === 0);
    },
  });

  test('gives the reason of the abort where it is an error of ours', () =>
    using(fixture, async (session) => {
      const { AppError } = await import('../../src/kernel/index.ts');
      const stop = new AbortController();
      const { chunks } = await session.read(requestOf(many), stop.signal);
      stop.abort(new AppError('LEASE_LOST', 'Another worker has it.'));
      await expect(chunks[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
    }));
});
