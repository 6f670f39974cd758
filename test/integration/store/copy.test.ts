import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CopyColumn, CopyType, CopyValue, Store } from '../../../src/store/index.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const TYPES = {
  n: 'int2',
  i: 'int4',
  b: 'int8',
  f: 'float8',
  t: 'bool',
  s: 'text',
  x: 'bytea',
  u: 'uuid',
} as const satisfies Record<string, CopyType>;
const columns: readonly CopyColumn[] = Object.entries(TYPES).map(([name, type]) => ({ name, type }));
const cells = { table: 'cells', columns };
const pairs = {
  table: 'pairs',
  columns: [
    { name: 'id', type: 'int8' },
    { name: 'body', type: 'text' },
  ],
} as const;

let store: Store;
beforeAll(async () => {
  store = await openTestStore({ poolSize: 2 });
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  await store.execute('DROP TABLE IF EXISTS cells, pairs');
  await store.execute('CREATE TABLE cells (n int2, i int4, b int8, f float8, t bool, s text, x bytea, u uuid)');
  await store.execute('CREATE TABLE pairs (id int8 PRIMARY KEY, body text)');
});

async function readAll(query: string, types: readonly CopyType[]): Promise<CopyValue[][]> {
  const rows: CopyValue[][] = [];
  await store.transaction((tx) =>
    tx.copyOut(query, types, (values) =>
      rows.push(values.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value))),
    ),
  );
  return rows;
}

const count = async (table: string) =>
  (await store.query<{ count: bigint }>(`SELECT count(*) FROM ${table}`))[0]?.count;

describe('COPY', () => {
  test('writes and reads values of every type at their limits', async () => {
    const rows: CopyValue[][] = [
      [
        -32_768,
        -2_147_483_648,
        -(2n ** 63n),
        -1.5e300,
        true,
        '',
        new Uint8Array([0, 255]),
        Buffer.from('0123456789abcdef'.repeat(2), 'hex').toString('latin1'),
      ],
      [
        32_767,
        2_147_483_647,
        2n ** 63n - 1n,
        Number.NaN,
        false,
        'å𝄞\u0001'.repeat(50),
        new Uint8Array(),
        '\xff'.repeat(16),
      ],
      [null, null, null, null, null, null, null, null],
    ];
    await store.transaction((tx) => tx.copyIn(cells, rows.length, (index) => rows[index] ?? []));
    expect(await readAll('SELECT * FROM cells', Object.values(TYPES))).toEqual(rows);
    expect(
      await store.query('SELECT s FROM cells WHERE u::text = $1', ['01234567-89ab-cdef-0123-456789abcdef']),
    ).toEqual([{ s: '' }]);
  });

  test('takes int8 as safe integers too, negative ones and those over 32 bits', async () => {
    const numbers = [0, -1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    await store.transaction((tx) => tx.copyIn(pairs, numbers.length, (index) => [numbers[index] ?? 0, null]));
    const read = await readAll('SELECT id FROM pairs', ['int8']);
    expect(read.map(([id]) => Number(id))).toEqual(numbers);
  });

  test('carries rows that are larger than its buffers, and many of them, while the event loop turns', async () => {
    const huge = 'ü'.repeat(3_000_000);
    let turns = 0;
    const turning = setInterval(() => turns++, 0);
    await store.transaction((tx) =>
      tx.copyIn(pairs, 200_000, (index) => [BigInt(index), index === 100_000 ? huge : `text of row ${index}`]),
    );
    clearInterval(turning);
    expect(turns).toBeGreaterThan(3);
    expect(await count('pairs')).toBe(200_000n);
    const found = await readAll('SELECT body FROM pairs WHERE id IN (99999, 100000) ORDER BY id', ['text']);
    expect(found).toEqual([['text of row 99999'], [huge]]);
  });

  test('of no rows is no error', async () => {
    await store.transaction((tx) => tx.copyIn(pairs, 0, () => []));
    expect(await readAll('SELECT * FROM pairs', ['int8', 'text'])).toEqual([]);
  });

  test('rolls the transaction back and passes the error on when the source of the rows throws', async () => {
    const failing = store.transaction((tx) =>
      tx.copyIn(pairs, 50_000, (index) => {
        if (index === 40_000) throw new RangeError('no more');
        return [BigInt(index), 'x'];
      }),
    );
    await expect(failing).rejects.toThrow(RangeError);
    expect(await count('pairs')).toBe(0n);
  });

  test.each<[string, CopyValue[], string]>([
    ['an integer over 64 bits', [2n ** 63n, ''], 'int8'],
    ['a fraction for an integer', [1.5, ''], 'int8'],
    ['a number for text', [1n, 7], 'text'],
    ['text with a NUL byte', [1n, 'nul \u0000 byte'], '0x00'],
  ])('is STORE_DATA for %s', async (_what, row, word) => {
    const failing = store.transaction((tx) => tx.copyIn(pairs, 1, () => row));
    await expect(failing).rejects.toMatchObject({ code: 'STORE_DATA', message: expect.stringContaining(word) });
    expect(await count('pairs')).toBe(0n);
  });

  test('is STORE_UNIQUE for a key that is there, however much was still to be sent', async () => {
    const failing = store.transaction((tx) =>
      tx.copyIn(pairs, 300_000, (index) => [index === 1 ? 0n : BigInt(index), 'x'.repeat(40)]),
    );
    await expect(failing).rejects.toMatchObject({ code: 'STORE_UNIQUE' });
    expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('is STORE_UNAVAILABLE when the connection dies on the way', async () => {
    const dying = store.transaction(async (tx) => {
      const [session] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      let killed: Promise<unknown> | undefined;
      const copying = tx.copyIn(pairs, 3_000_000, (index) => {
        if (index === 10_000) killed = store.query('SELECT pg_terminate_backend($1)', [session?.pid ?? 0]);
        return [BigInt(index), 'x'.repeat(40)];
      });
      await copying.finally(() => killed);
    });
    await expect(dying).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await count('pairs')).toBe(0n);
  });

  test('out of the store passes on what the reader throws and leaves the session usable', async () => {
    await store.transaction(async (tx) => {
      const reading = tx.copyOut('SELECT * FROM generate_series(1, 10000)', ['int4'], () => {
        throw new RangeError('enough');
      });
      await expect(reading).rejects.toThrow(RangeError);
      expect(await tx.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });
    await expect(readAll('SELECT 1, 2', ['int4'])).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(readAll('SELECT nothing', ['int4'])).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  test('is broken off by the signal of its transaction', async () => {
    const abort = new AbortController();
    const broken = store.transaction(
      (tx) =>
        tx.copyIn(pairs, 3_000_000, (index) => {
          if (index === 10_000) abort.abort();
          return [BigInt(index), 'x'.repeat(40)];
        }),
      { signal: abort.signal },
    );
    await expect(broken).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await count('pairs')).toBe(0n);
  });
});
