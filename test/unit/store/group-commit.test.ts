import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import { createGroupCommit, type GroupCommitOptions } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';

interface Group {
  readonly items: readonly string[];
  commit(): void;
  fail(error: unknown): void;
}

/** Groups over a store that commits when the test says so. */
function openGroups(options: Partial<GroupCommitOptions<string, string>> = {}) {
  const groups: Group[] = [];
  const commits = createGroupCommit<string, string>({
    groupItems: 100,
    groupBytes: 1_000,
    groupsAtOnce: 8,
    groupsOfKeyAtOnce: 1,
    heldItemsOfKey: 1_000,
    heldBytesOfKey: 10_000,
    heldBytes: 20_000,
    deliver: (items) =>
      new Promise((resolve, reject) => {
        groups.push({ items, commit: () => resolve(items.map((item) => `${item}!`)), fail: reject });
      }),
    ...options,
  });
  const groupAt = async (index: number): Promise<Group> => {
    await until(() => groups.length > index);
    return groups[index] as Group;
  };
  return { commits, groups, groupAt };
}

/** A store that refuses the items it is told to, and what it was asked to commit. */
function refusing(error: (item: string) => unknown) {
  const tried: string[] = [];
  const deliver = async (items: readonly string[]) => {
    tried.push(items.join(''));
    for (const item of items) {
      const thrown = error(item);
      if (thrown !== undefined) throw thrown;
    }
    return items;
  };
  return { tried, ...openGroups({ deliver }) };
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'kept',
    (error: AppError) => error.code,
  );

describe('groups', () => {
  test('what arrives together, and what arrives while a group commits, goes in one group', async () => {
    const { commits, groupAt } = openGroups();
    const first = [commits.submit('w', 'a', 1), commits.submit('w', 'b', 1)];
    const one = await groupAt(0);
    const second = [commits.submit('w', 'c', 1), commits.submit('w', 'd', 1), commits.submit('w', 'e', 1)];
    expect(one.items).toEqual(['a', 'b']);
    one.commit();
    expect(await Promise.all(first)).toEqual(['a!', 'b!']);
    const two = await groupAt(1);
    expect(two.items).toEqual(['c', 'd', 'e']);
    two.commit();
    expect(await Promise.all(second)).toEqual(['c!', 'd!', 'e!']);
  });

  test('nobody is answered before his group has committed', async () => {
    const { commits, groupAt } = openGroups();
    let isAnswered = false;
    const answer = commits.submit('w', 'a', 1).then(() => {
      isAnswered = true;
    });
    const group = await groupAt(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    group.commit();
    await answer;
  });

  test('a group is bounded in items and in bytes; an item larger than that goes alone', async () => {
    const { commits, groupAt } = openGroups({ groupItems: 2, groupBytes: 10 });
    const sizes = [1, 1, 1, 50, 6, 6];
    const answers = sizes.map((size, index) => commits.submit('w', `${index}`, size));
    const groups: string[] = [];
    for (let index = 0; index < 5; index++) {
      const group = await groupAt(index);
      groups.push(group.items.join(''));
      group.commit();
    }
    expect(groups).toEqual(['01', '2', '3', '4', '5']);
    await Promise.all(answers);
  });
});

describe('keys', () => {
  test('one never shares a group with another', async () => {
    const { commits, groupAt } = openGroups();
    const answers = ['a', 'b', 'a', 'b'].map((key, index) => commits.submit(key, `${key}${index}`, 1));
    const [one, two] = [await groupAt(0), await groupAt(1)];
    expect([one.items, two.items]).toEqual([
      ['a0', 'a2'],
      ['b1', 'b3'],
    ]);
    one.commit();
    two.commit();
    await Promise.all(answers);
  });

  test('take turns: who sends much does not hold up who sends little', async () => {
    const { commits, groupAt, groups } = openGroups({ groupItems: 1, groupsAtOnce: 1 });
    const answers = ['much', 'much', 'much', 'little'].map((key) => commits.submit(key, key, 1));
    for (let index = 0; index < 4; index++) (await groupAt(index)).commit();
    await Promise.all(answers);
    expect(groups.map(({ items }) => items[0])).toEqual(['much', 'little', 'much', 'much']);
  });

  test('have as many groups at once as they may, each of them and together', async () => {
    const { commits, groupAt, groups } = openGroups({ groupItems: 1, groupsAtOnce: 3, groupsOfKeyAtOnce: 2 });
    const answers = ['a', 'a', 'a', 'b', 'b'].map((key) => commits.submit(key, key, 1));
    await groupAt(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(groups.map(({ items }) => items[0])).toEqual(['a', 'b', 'a']);
    for (let index = 0; index < 5; index++) (await groupAt(index)).commit();
    await Promise.all(answers);
  });
});

describe('too much', () => {
  test.each([
    ['items of a key', { heldItemsOfKey: 2 }, 1],
    ['bytes of a key', { heldBytesOfKey: 25 }, 10],
    ['bytes of all', { heldBytes: 25 }, 10],
  ])('is refused with Retry-After: %s', async (_what, bounds, size) => {
    const { commits, groupAt } = openGroups(bounds);
    const taken = [commits.submit('w', 'a', size), commits.submit('w', 'b', size)];
    const refused = await commits.submit('w', 'c', size).catch((error: AppError) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    (await groupAt(0)).commit();
    expect(await Promise.all(taken)).toEqual(['a!', 'b!']);
    const again = commits.submit('w', 'c', size);
    (await groupAt(1)).commit();
    expect(await again).toBe('c!');
  });

  test('of one request is refused whole: nothing of it was taken', async () => {
    const { commits, groupAt, groups } = openGroups({ heldItemsOfKey: 2 });
    const taken = commits.submit('w', 'a', 1);
    const request = ['other', 'w', 'w'].map((key, index) => ({ key, item: `b${index}`, sizeBytes: 1 }));
    expect(() => commits.reserve(request)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
    (await groupAt(0)).commit();
    await taken;
    const answers = commits.reserve(request).submit();
    (await groupAt(1)).commit();
    (await groupAt(2)).commit();
    expect(await Promise.all(answers)).toEqual(['b0!', 'b1!', 'b2!']);
    expect(groups.map(({ items }) => items)).toEqual([['a'], ['b0'], ['b1', 'b2']]);
  });

  test('of one key leaves room for another', async () => {
    const { commits, groupAt } = openGroups({ heldItemsOfKey: 1 });
    const taken = commits.submit('a', 'a', 1);
    expect(await codeOf(commits.submit('a', 'a', 1))).toBe('RATE_LIMITED');
    const other = commits.submit('b', 'b', 1);
    (await groupAt(0)).commit();
    (await groupAt(1)).commit();
    expect(await Promise.all([taken, other])).toEqual(['a!', 'b!']);
  });

  test('is no single item: its size has a limit elsewhere', async () => {
    const { commits, groupAt } = openGroups({ heldBytesOfKey: 10, heldBytes: 10 });
    const answer = commits.submit('w', 'large', 100);
    (await groupAt(0)).commit();
    expect(await answer).toBe('large!');
  });
});

describe('a group that fails', () => {
  test.each(['STORE_DATA', 'INTERNAL'] as const)('with %s is halved down to the one item at fault', async (code) => {
    const { commits, tried } = refusing((item) => (item === 'e' ? new AppError(code, 'poison') : undefined));
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((item) => codeOf(commits.submit('w', item, 1))),
    );
    expect(answers).toEqual(['kept', 'kept', 'kept', 'kept', code, 'kept']);
    expect(tried).toEqual(['abcdef', 'abc', 'def', 'de', 'd', 'e', 'f']);
  });

  test('with what is no AppError is halved too', async () => {
    const { commits } = refusing((item) => (item === 'b' ? new TypeError('ours') : undefined));
    const answers = await Promise.all(['a', 'b', 'c'].map((item) => codeOf(commits.submit('w', item, 1))));
    expect(answers).toEqual(['kept', 'INTERNAL', 'kept']);
  });

  test('because the store is away fails as a whole, and the next one is tried', async () => {
    let isAway = true;
    const { commits, tried } = refusing(() => (isAway ? new AppError('STORE_UNAVAILABLE', 'away') : undefined));
    const answers = await Promise.all(['a', 'b'].map((item) => codeOf(commits.submit('w', item, 1))));
    expect(answers).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE']);
    isAway = false;
    expect(await codeOf(commits.submit('w', 'c', 1))).toBe('kept');
    expect(tried).toEqual(['ab', 'c']);
  });
});

describe('the end', () => {
  test('waits for what was taken and takes nothing more', async () => {
    const { commits, groupAt } = openGroups({ groupItems: 1 });
    const taken = [commits.submit('w', 'a', 1), commits.submit('w', 'b', 1)];
    let isOver = false;
    const drained = commits.drain().then(() => {
      isOver = true;
    });
    expect(await codeOf(commits.submit('w', 'c', 1))).toBe('CANCELLED');
    (await groupAt(0)).commit();
    await taken[0];
    expect(isOver).toBe(false);
    (await groupAt(1)).commit();
    await drained;
    expect(await Promise.all(taken)).toEqual(['a!', 'b!']);
  });

  test('comes at once where nothing waits', async () => {
    await openGroups().commits.drain();
  });
});
