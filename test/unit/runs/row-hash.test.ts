import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/kernel/index.ts';
import { cellsFromText, cellsText } from '../../../src/mapping/cells/cells-text.ts';
import { createRowHash, HASH_BYTES } from '../../../src/mapping/cells/row-hash.ts';
import type { Cell, Column } from '../../../src/warehouse/index.ts';

const KEY = new Secret(Buffer.alloc(32, 7).toString('base64'));
const column = (name: string): Column => ({ name, type: 'unknown', nativeType: 'ANY' });

interface Plan {
  readonly key?: Secret;
  readonly names?: readonly string[];
  readonly positions?: readonly number[];
}

function hashOf(row: readonly Cell[], { key = KEY, names, positions }: Plan = {}): string {
  const columns = (names ?? row.map((_, index) => `c${index}`)).map(column);
  const target = Buffer.alloc(HASH_BYTES);
  const rowHash = createRowHash({ key, columns, positions: positions ?? [...columns.keys()] });
  rowHash.write(rowHash.textOf(row), target, 0);
  return target.toString('hex');
}

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).filter((value) => !Number.isSafeInteger(Number(value))),
  // any UTF-16, halves of surrogate pairs among it
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.uint8Array({ maxLength: 8 }),
);
const { cell } = fc.letrec<{ cell: Cell }>((tie) => ({
  cell: fc.oneof(
    { maxDepth: 3 },
    { weight: 8, arbitrary: scalar },
    fc.array(tie('cell'), { maxLength: 3 }),
    fc.array(fc.tuple(tie('cell'), tie('cell')), { maxLength: 3 }).map((entries) => ({ entries })),
  ),
}));
const rows = fc.array(cell, { maxLength: 5 });

/** Exact, with the form of each cell; an integer is the same one as number and as bigint. */
function exactly(row: readonly Cell[]): string {
  return JSON.stringify(row, (_name, value: unknown) => {
    if (typeof value === 'bigint') return `n${value}`;
    if (typeof value === 'number') return Object.is(value, -0) ? 'n-0' : `n${value}`;
    if (typeof value === 'string') return `s${value}`;
    return value instanceof Uint8Array ? { binary: [...value].join() } : value;
  });
}

describe('the hash of a row', () => {
  test('is the same for equal rows and another for others', () => {
    fc.assert(
      fc.property(rows, rows, (left, right) => {
        expect(hashOf(left)).toBe(hashOf(cellsFromText(cellsText(left))));
        const names = ['a', 'b', 'c', 'd', 'e'];
        const isEqual = left.length === right.length && exactly(left) === exactly(right);
        const hashes = [left, right].map((row) => hashOf([...row], { names: names.slice(0, row.length) }));
        expect(hashes[0] === hashes[1]).toBe(isEqual);
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, readonly Cell[], readonly Cell[]]>([
    ['text that moves over the border of two cells', ['ab', 'c'], ['a', 'bc']],
    ['text that looks like the form of another cell', ['1:a', 'b'], ['1:as1:b', '']],
    ['an empty text and NULL', [''], [null]],
    ['a number and its text', [1], ['1']],
    ['0 and -0', [0], [-0]],
    ['true and its text', [true], ['t']],
    ['a list and its items', [['a'], 'b'], [['a', 'b'], null]],
    ['a list of a list', [[['a'], 'b']], [[['a', 'b']]]],
    ['binary and text of the same bytes', [new Uint8Array([97])], ['a']],
    ['two halves of surrogate pairs', ['\ud800'], ['\ud801']],
    ['NULLs in other columns', [null, 1], [1, null]],
    ['neighbouring integers over 2^53', [9007199254740993n], [9007199254740992n]],
    ['decimals with other zeros behind the point', ['1.0'], ['1.00']],
    [
      'entries in another order',
      [
        {
          entries: [
            ['a', 1],
            ['b', 2],
          ],
        },
      ],
      [
        {
          entries: [
            ['b', 2],
            ['a', 1],
          ],
        },
      ],
    ],
  ])('tells apart %s', (_what, left, right) => {
    const names = ['a', 'b'];
    expect(hashOf(left, { names })).not.toBe(hashOf(right, { names }));
  });

  test('takes all NaN for one, and an integer for the same as number and as bigint', () => {
    expect(hashOf([Number.NaN])).toBe(hashOf([0 / 0]));
    expect(hashOf([5])).toBe(hashOf([5n]));
  });

  test('is of the columns by their names, in whatever order they come', () => {
    const hash = hashOf([1, 2, 3], { names: ['a', 'b', 'c'] });
    expect(hashOf([3, 1, 2], { names: ['c', 'a', 'b'] })).toBe(hash);
    expect(hashOf([2, 3, 1], { names: ['b', 'c', 'a'], positions: [2, 0, 1] })).toBe(hash);
    expect(hashOf([3, 2, 1], { names: ['a', 'b', 'c'] })).not.toBe(hash);
  });

  test('depends on the key and on the names of the columns, and on no column beside those it is of', () => {
    const other = new Secret(Buffer.alloc(32, 8).toString('base64'));
    expect(hashOf(['a'], { key: other })).not.toBe(hashOf(['a']));
    expect(hashOf(['a'], { names: ['x'] })).not.toBe(hashOf(['a']));
    expect(hashOf(['a', 1, 'b'], { positions: [0, 2] })).toBe(hashOf(['a', 2, 'b'], { positions: [0, 2] }));
    expect(hashOf(['a', 1, 'b'], { positions: [0, 2] })).not.toBe(hashOf(['a', 1, 'c'], { positions: [0, 2] }));
  });

  test('never changes: what is stored must be found by later versions', () => {
    const row = [
      'p@example.org',
      'Zürich',
      12,
      9007199254740993n,
      1.5,
      true,
      null,
      '2026-01-15T11:00:00.000000Z',
      [1, 'a'],
    ];
    expect(hashOf(row)).toBe('926aff07a28722d3d9f9bbd2b71c8392');
  });
});

test('a row comes back from the text that is hashed', () => {
  fc.assert(
    fc.property(rows, (row) => {
      const columns = row.map((value, index): Column => ({ ...column(`c${9 - index}`), type: typeOf(value) }));
      const { textOf, cellsOf, rowOf } = createRowHash({ key: KEY, columns, positions: [...columns.keys()] });
      expect(exactly(rowOf(cellsOf(textOf(row))))).toBe(exactly(row));
    }),
    { numRuns: 2000 },
  );
});

test('numbers come back in the form that their column gives them', () => {
  const row = [5, -0, 0, 2 ** 53, 2n ** 53n + 1n, 1.5, Number.NaN, Number.NEGATIVE_INFINITY];
  const types = ['integer', 'double', 'double', 'double', 'integer', 'double', 'double', 'double'] as const;
  const columns = types.map((type, index): Column => ({ name: `c${index}`, type, nativeType: '' }));
  const { textOf, cellsOf, rowOf } = createRowHash({ key: KEY, columns, positions: [...columns.keys()] });
  expect(rowOf(cellsOf(textOf(row)))).toEqual(row);
});

/** As connectors say it: a number beyond 2^53 is a double, an integer is a bigint there. */
const typeOf = (value: Cell) => (typeof value === 'number' ? 'double' : 'unknown');

test('cells come back from their text exactly', () => {
  fc.assert(
    fc.property(rows, (row) => {
      expect(cellsFromText(cellsText(row))).toEqual(row);
    }),
    { numRuns: 1000 },
  );
  const odd = [
    -0,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    2 ** 53,
    9007199254740993n,
    '\ud800\u0000',
    new Uint8Array([255]),
  ];
  expect(cellsFromText(cellsText(odd))).toEqual(odd);
});
