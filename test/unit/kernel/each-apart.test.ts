import { describe, expect, it } from 'vitest';
import { AppError, eachApart } from '../../../src/kernel/index.ts';

/** Items that were worked on, where those of `failing` throw. */
async function workOn(items: readonly number[], failing: Readonly<Record<number, Error>>, signal?: AbortSignal) {
  const done: number[] = [];
  const work = async (item: number) => {
    const error = failing[item];
    if (error !== undefined) throw error;
    done.push(item);
  };
  const thrown = await eachApart(items, work, signal).then(
    () => undefined,
    (error: AppError) => error,
  );
  return { done, thrown };
}

const away = () => new AppError('STORE_UNAVAILABLE', 'The store is away.');

describe('work on each item', () => {
  it('goes on behind one that fails, and throws the first failure at the end', async () => {
    const { done, thrown } = await workOn([1, 2, 3, 4], { 2: new TypeError('two'), 3: new TypeError('three') });
    expect(done).toEqual([1, 4]);
    expect(thrown).toMatchObject({ code: 'INTERNAL', message: 'two' });
  });

  it('ends where the store is away for two in a row, and goes on behind one', async () => {
    expect((await workOn([1, 2, 3], { 1: away() })).done).toEqual([2, 3]);
    expect((await workOn([1, 2, 3, 4, 5], { 2: away(), 3: away() })).done).toEqual([1]);
    expect((await workOn([1, 2, 3, 4, 5], { 1: away(), 3: away(), 5: away() })).done).toEqual([2, 4]);
  });

  it('ends when it is aborted', async () => {
    expect(await workOn([1], {}, AbortSignal.abort())).toEqual({ done: [], thrown: undefined });
  });
});
