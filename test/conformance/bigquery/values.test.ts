import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicros, type Micros } from '../../../src/kernel/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import type { WireField, WireRow } from '../../support/bigquery/jobs-api.ts';
import { openScripted } from '../../support/bigquery/scripted.ts';
import { readAll, requestOf } from '../reading.ts';

type Kind = readonly [field: WireField, wire: unknown, cell: Cell];
const field = (type: string, more: object = {}): WireField => ({ name: 'v', type, mode: 'NULLABLE', ...more });

/** As the REST API writes each value, and the cell that it is. */
const VALUES: readonly Kind[] = [
  [field('FLOAT'), 'NaN', Number.NaN],
  [field('FLOAT'), 'Infinity', Number.POSITIVE_INFINITY],
  [field('FLOAT'), '-Infinity', Number.NEGATIVE_INFINITY],
  [field('FLOAT'), '-0.0', -0],
  [field('FLOAT'), '5.0E-324', 5e-324],
  [field('INTEGER'), '-9007199254740992', -9007199254740992n],
  [field('INTEGER'), '-9007199254740991', -9007199254740991],
  [field('NUMERIC'), '-0.000000001', '-0.000000001'],
  [field('NUMERIC'), '100', '100'],
  [field('BIGNUMERIC'), '0.00000000000000000000000000000000000001', '0.00000000000000000000000000000000000001'],
  [field('TIMESTAMP'), '-1', '1969-12-31T23:59:59.999999Z'],
  [field('TIMESTAMP'), '-86400000000', '1969-12-31T00:00:00.000000Z'],
  [field('TIMESTAMP'), '253402300799999999', '9999-12-31T23:59:59.999999Z'],
  [field('TIMESTAMP'), '-62135596800000000', '0001-01-01T00:00:00.000000Z'],
  [field('DATETIME'), '9999-12-31T23:59:59.999999', '9999-12-31T23:59:59.999999'],
  [field('GEOGRAPHY'), 'POINT(1 2)', 'POINT(1 2)'],
  [field('STRING'), '', ''],
  [field('INTEGER', { mode: 'REPEATED' }), [{ v: '1' }, { v: '9223372036854775807' }], [1, 9223372036854775807n]],
  [field('STRING', { mode: 'REPEATED' }), [], []],
  [
    field('RECORD', { fields: [field('TIME'), { ...field('FLOAT'), name: 'w' }] }),
    { f: [{ v: '10:00:00' }, { v: null }] },
    {
      entries: [
        ['v', '10:00:00.000000'],
        ['w', null],
      ],
    },
  ],
];

/** Rows enough for a stream, so that the same values come both ways. */
const MANY = 6000;

async function bothWays(type: WireField, wire: readonly unknown[]): Promise<readonly (readonly Cell[])[]> {
  const rows: readonly WireRow[] = Array.from({ length: MANY }, (_, at) => ({
    f: [{ v: wire[at % wire.length] ?? null }],
  }));
  await using scripted = await openScripted({ fields: [type], rows: rows.slice(0, wire.length) });
  await using session = await scripted.open();
  const few = (await readAll(session, requestOf('SELECT few'))).rows;
  scripted.answer = { fields: [type], rows };
  const many = (await readAll(session, requestOf('SELECT many'))).rows;
  expect(scripted.api.calls.some(({ query }) => query.has('pageToken'))).toBe(false);
  return [few, many.slice(0, wire.length), many.slice(-wire.length)].map((part) => part.map(([cell = null]) => cell));
}

describe('a value is the same cell as a page and as Arrow', () => {
  it.each(VALUES)('%j: %j', async (type, wire, cell) => {
    const missing = type.mode === 'REPEATED' ? [] : null;
    const cells = [cell, missing, cell];
    expect(await bothWays(type, [wire, null, wire])).toEqual([cells, cells, cells]);
  });

  it.each<readonly [string, fc.Arbitrary<bigint>, (value: bigint) => Cell]>([
    [
      'INTEGER',
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      (value) => (isSafe(value) ? Number(value) : value),
    ],
    [
      'TIMESTAMP',
      fc.bigInt({ min: -62135596800000000n, max: 253402300799999999n }),
      (value) => formatMicros(value as Micros),
    ],
  ])('%s, all over its range', async (type, values, cellOf) => {
    const drawn = fc.sample(values, 100);
    const cells = drawn.map(cellOf);
    expect(await bothWays(field(type), drawn.map(String))).toEqual([cells, cells, cells]);
  });
});

function isSafe(value: bigint): boolean {
  return Number.isSafeInteger(Number(value));
}

describe('a range', () => {
  it.each([
    ['DATE', '[2024-01-01, 2024-02-01)', '[2024-01-01, 2024-02-01)'],
    ['DATETIME', '[2024-01-01T00:00:00, UNBOUNDED)', '[2024-01-01T00:00:00.000000, UNBOUNDED)'],
    ['TIMESTAMP', '[-1, 253402300799999999)', '[1969-12-31T23:59:59.999999Z, 9999-12-31T23:59:59.999999Z)'],
    ['TIMESTAMP', '[UNBOUNDED, UNBOUNDED)', '[UNBOUNDED, UNBOUNDED)'],
  ])('of %s, %s, is the text %s', async (type, wire, text) => {
    const fields = [field('RANGE', { rangeElementType: { type } })];
    await using scripted = await openScripted({ fields, rows: [{ f: [{ v: wire }] }] });
    await using session = await scripted.open();
    const { rows, columns } = await readAll(session, requestOf('SELECT v'));
    expect(columns).toMatchObject([{ type: 'text', nativeType: `RANGE<${type}>` }]);
    expect(rows).toEqual([[text]]);
  });
});

describe('a timestamp with picoseconds', () => {
  it('is its exact text, on each page, and leaves other timestamps as they are', async () => {
    const fields = [field('TIMESTAMP', { timestampPrecision: '12' }), { ...field('TIMESTAMP'), name: 'w' }];
    const row = (first: string, second: string) => ({ f: [{ v: first }, { v: second }] });
    const count = 1500;
    const rows = Array.from({ length: count }, () => row('1704067200123456', '-1'));
    const iso = row('2024-01-01T00:00:00.123456789012Z', '1969-12-31T23:59:59.999999000000Z');
    await using scripted = await openScripted({ fields, rows, isoRows: Array.from({ length: count }, () => iso) });
    await using session = await scripted.open();
    const { rows: read, columns } = await readAll(session, requestOf('SELECT v'));
    expect(columns.map(({ type, nativeType }) => [type, nativeType])).toEqual([
      ['text', 'TIMESTAMP(12)'],
      ['timestamp_tz', 'TIMESTAMP'],
    ]);
    expect(read).toHaveLength(count);
    const cells = ['2024-01-01T00:00:00.123456789012Z', '1969-12-31T23:59:59.999999Z'];
    expect(new Set(read.map(String))).toEqual(new Set([String(cells)]));
  });
});

describe('a result with a type that is not read as Arrow', () => {
  it.each([
    ['INTERVAL', '1-2 3 4:5:6.5', 'text'],
    ['RANGE', '[2024-01-01, UNBOUNDED)', 'text'],
  ])('%s is read as pages', async (type, text, expected) => {
    const fields = [field(type, { rangeElementType: { type: 'DATE' } })];
    await using scripted = await openScripted({
      fields,
      rows: Array.from({ length: MANY }, () => ({ f: [{ v: text }] })),
    });
    await using session = await scripted.open();
    const { rows, columns } = await readAll(session, requestOf('SELECT v'));
    expect(columns[0]?.type).toBe(expected);
    expect(rows).toHaveLength(MANY);
    expect(rows.every(([cell]) => cell === text)).toBe(true);
  });
});
