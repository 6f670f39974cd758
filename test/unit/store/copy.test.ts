import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/store/copy-decode.ts';
import {
  createFill,
  createSlab,
  framedBytes,
  resetSlab,
  writeHeader,
  writeTrailer,
} from '../../../src/store/copy-encode.ts';
import type { CopyColumn, CopyType, CopyValue } from '../../../src/store/index.ts';

const FRAME_BYTES = 5;

const anyValue: Readonly<Record<CopyType, fc.Arbitrary<CopyValue>>> = {
  int2: fc.integer({ min: -32_768, max: 32_767 }),
  int4: fc.integer(),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float8: fc.double(),
  bool: fc.boolean(),
  text: fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 200 })),
  bytea: fc.uint8Array(),
  uuid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
};
const types = fc.array(fc.constantFrom(...(Object.keys(anyValue) as CopyType[])), { minLength: 1, maxLength: 12 });
const tables = types.chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    rows: fc.array(fc.tuple(...columns.map((type) => fc.option(anyValue[type]))), { maxLength: 20 }),
  }),
);

/** Messages of a COPY of `rows`, without their frame. */
function encode(columns: readonly (CopyType | CopyColumn)[], rows: readonly CopyValue[][]): Buffer<ArrayBuffer>[] {
  const fill = createFill(
    columns.map((type, index) => (typeof type === 'string' ? { name: `c${index}`, type } : type)),
  );
  const slab = createSlab();
  const messages: Buffer<ArrayBuffer>[] = [];
  writeHeader(slab);
  let next = 0;
  do {
    next = fill(slab, { count: rows.length, row: (index) => rows[index] ?? [] }, next);
    if (next >= rows.length) writeTrailer(slab);
    const framed = framedBytes(slab);
    expect(framed.readInt32BE(1)).toBe(framed.length - 1);
    messages.push(Buffer.from(framed.subarray(FRAME_BYTES)));
    resetSlab(slab);
  } while (next < rows.length);
  return messages;
}

function decode(columns: readonly CopyType[], messages: readonly Buffer<ArrayBuffer>[]): CopyValue[][] {
  const rows: CopyValue[][] = [];
  const read = createDecoder(columns, (values) =>
    rows.push(values.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value))),
  );
  for (const message of messages) read(message);
  return rows;
}

describe('binary COPY', () => {
  test('takes a uuid from many that stand behind one another', () => {
    const blocks = Buffer.from('a block of bytesand another one.', 'latin1');
    const rows: CopyValue[][] = [[1], [null], [0]];
    const messages = encode([{ name: 'c0', type: 'uuid', blocks }], rows);
    expect(decode(['uuid'], messages)).toEqual([['and another one.'], [null], ['a block of bytes']]);
    expect(() => encode([{ name: 'c0', type: 'uuid', blocks }], [[2]])).toThrow(/c0/);
  });

  test('gives back every row that was written', () => {
    fc.assert(
      fc.property(tables, ({ columns, rows }) => {
        expect(decode(columns, encode(columns, rows))).toEqual(rows);
      }),
    );
  });

  test('keeps a row larger than a message whole', () => {
    const rows: CopyValue[][] = [['a'], ['ü'.repeat(1_000_000)], ['b'], [null]];
    expect(decode(['text'], encode(['text'], rows))).toEqual(rows);
  });

  test.each<[CopyType, CopyValue]>([
    ['int2', 32_768],
    ['int2', 1.5],
    ['int4', 2 ** 31],
    ['int4', Number.NaN],
    ['int8', 2n ** 63n],
    ['int8', 2 ** 53],
    ['int8', '7'],
    ['float8', '7'],
    ['bool', 1],
    ['text', 7],
    ['bytea', 'text'],
    ['uuid', 'f'.repeat(15)],
    ['uuid', `${'f'.repeat(15)}\u0130`],
  ])('refuses as %s the value %s, naming the column', (type, value) => {
    expect(() => encode([type], [[value]])).toThrow(/STORE_DATA|c0/);
  });
});
