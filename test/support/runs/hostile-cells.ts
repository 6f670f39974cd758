// Cells that no honest model has and every warehouse may hold: ends of number ranges, sentinels, times beyond any calendar,
// texts that are huge, empty, fillers or no text at all.
import fc from 'fast-check';
import type { Cell, Column, ColumnType, IteratorType } from '../../../src/warehouse/index.ts';

const INT64 = [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n];

export const hostileTexts: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom('', ' ', '\t\u00a0', 'null', 'unknown', 'N/A', '0', '-', '__proto__', '{}', '"', '\\', "'; --", '%'),
  fc.constantFrom('\u0000', 'a\u0000b', '\ud800', '\udc00\ud800', '\ufeff', '\u202e', '\uffff', '😀'),
  fc.constantFrom('x'.repeat(5000), '😀'.repeat(4096), `${'e\u0301'.repeat(3000)}`),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constant(null),
);

export const hostileNumbers: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom<Cell>(Number.NaN, Infinity, -Infinity, -0, 5e-324, Number.MAX_VALUE, 2 ** 53, null),
  fc.double(),
);

export const hostileJson: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom('', '{', 'null', '[]', '{"a":1}', '1e400', '-1e-400', '[[1]]', '"\\ud800"', '"\\u0000"', 'NaN', null),
  fc.constantFrom('9'.repeat(4000), `[${'1,'.repeat(2000)}1]`, '12345678901234567890.123456789'),
  fc.json({ maxDepth: 2 }),
);

interface HostileIterator {
  readonly type: IteratorType;
  readonly column: Column;
  readonly honest: Cell;
  readonly cells: fc.Arbitrary<Cell>;
}

const TIMES = ['0001-01-01', '0000-01-01', '0099-12-31', '9999-12-31', '1582-10-10', '+010000-01-01', '-000043-03-15'];

function iterator(
  type: IteratorType,
  column: ColumnType,
  given: { honest: Cell; cells: readonly Cell[] },
): HostileIterator {
  const { honest, cells } = given;
  const hostile: readonly Cell[] = [...cells, 'infinity', '-infinity', null];
  return {
    ...{ type, honest, cells: fc.constantFrom(...hostile) },
    column: { name: 'at', type: column, nativeType: column.toUpperCase() },
  };
}

/** Iterators of every kind, with an honest cell and hostile ones. */
export const HOSTILE_ITERATORS: readonly HostileIterator[] = [
  iterator('timestamp_tz', 'timestamp_tz', {
    honest: '2026-01-10T10:00:00.000001Z',
    cells: TIMES.map((day) => `${day}T23:59:59.999999Z`),
  }),
  iterator('timestamp', 'timestamp', {
    honest: '2026-01-10T10:00:00.000001',
    cells: TIMES.map((day) => `${day}T00:00:00.000000`),
  }),
  iterator('date', 'date', { honest: '2026-01-10', cells: TIMES }),
  iterator('timestamp_unixtime_ms', 'integer', {
    honest: 1_768_039_200_000,
    cells: [...INT64, -1, 0, 1_768_039_200_000_000_000n, 253_402_300_800_000n, -62_135_596_800_001n],
  }),
  iterator('timestamp_unixtime_s', 'decimal', {
    honest: '1768039200',
    cells: ['NaN', '-1.5', '1768039200000000', '1e300', '9'.repeat(38), '', ' '],
  }),
];
