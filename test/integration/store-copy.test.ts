import { expect, test } from 'vitest';
import { openTestStore } from '../support/test-store.ts';

test('writes rows of every type by COPY and reads the same values back', async () => {
  await using store = await openTestStore();
  await store.execute('CREATE TABLE cells (n int2, i int4, b int8, f float8, t bool, s text, x bytea, u uuid)');
  const rows = [
    [
      -32768,
      -2147483648,
      -(2n ** 63n),
      -1.5e300,
      true,
      '',
      new Uint8Array([0, 255]),
      '0123456789abcdef0123456789abcdef',
    ],
    [32767, 2147483647, 2n ** 63n - 1n, Number.NaN, false, 'å𝄞\u0001'.repeat(50), new Uint8Array(), 'f'.repeat(32)],
    [null, null, null, null, null, null, null, null],
  ] as const;
  const types = ['int2', 'int4', 'int8', 'float8', 'bool', 'text', 'bytea', 'uuid'] as const;
  const columns = ['n', 'i', 'b', 'f', 't', 's', 'x', 'u'].map((name, at) => ({ name, type: types[at] ?? 'text' }));
  const read: unknown[] = [];
  await store.transaction(async (tx) => {
    await tx.copyIn({ table: 'cells', columns }, rows.length, (index) => rows[index] ?? []);
    await tx.copyOut('SELECT * FROM cells', types, (values) => read.push(values));
  });
  expect(read).toEqual(rows);
});
