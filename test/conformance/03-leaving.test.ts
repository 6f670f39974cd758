import { expect, test } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { sentence } from './fleet.ts';
import { NEVER, openOn, readAll, requestOf } from './reading.ts';

sentence('3. leaving the loop early frees the session', (fixture) => {
  const many = `SELECT n FROM ${fixture.sql.series(fixture.sql.endless ?? 50_000_000)}`;

  test.each([
    ['by break', 1],
    ['before the first row', 0],
  ])('%s', async (_, chunksTaken) => {
    await using warehouse = await fixture.start();
    const session = await openOn(fixture, warehouse);
    for (let round = 0; round < 20; round++) {
      const iterator = (await session.read(requestOf(many), NEVER)).chunks[Symbol.asyncIterator]();
      for (let taken = 0; taken < chunksTaken; taken++) await iterator.next();
      await iterator.return?.();
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    }
    expect((await readAll(session, requestOf(`SELECT n FROM ${fixture.sql.series(10)}`))).rows).toHaveLength(10);
    await session[Symbol.asyncDispose]();
    await until(async () => (await warehouse.connections()) === 0);
  });

  test('by throwing', async () => {
    await using warehouse = await fixture.start();
    const session = await openOn(fixture, warehouse);
    const reading = async () => {
      for await (const _ of (await session.read(requestOf(many), NEVER)).chunks) throw new Error('mine');
    };
    await expect(reading()).rejects.toThrow('mine');
    await session[Symbol.asyncDispose]();
    await until(async () => (await warehouse.connections()) === 0);
  });

  test('and so does the end, and a failure in the middle', async () => {
    await using warehouse = await fixture.start();
    const session = await openOn(fixture, warehouse);
    await readAll(session, requestOf(`SELECT n FROM ${fixture.sql.series(100_000)}`));
    await expect(readAll(session, requestOf(fixture.sql.failsAt(100_000, 90_000)))).rejects.toThrow();
    await session[Symbol.asyncDispose]();
    await until(async () => (await warehouse.connections()) === 0);
  });

  test('by closing the session with a stream open', async () => {
    await using warehouse = await fixture.start();
    const session = await openOn(fixture, warehouse);
    const { chunks } = await session.read(requestOf(many), NEVER);
    const iterator = chunks[Symbol.asyncIterator]();
    await iterator.next();
    await session[Symbol.asyncDispose]();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await until(async () => (await warehouse.connections()) === 0);
  });
});
