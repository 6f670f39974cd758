import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../src/warehouse/index.ts';
import { rowsOf, scratchWarehouse } from './scratch-warehouse.ts';

const ROWS = 20_000;
/** 64 bits that look random, the same in every run. */
const BITS = 'hash(range)';
const SIGNED = `(${BITS} >> 1)::BIGINT * (CASE WHEN range % 2 = 0 THEN 1 ELSE -1 END)`;
const spread = (most: string) => `(${SIGNED} % ${most})`;

/** Values of a type all over its range, and DuckDB's own text of each, in the form of a cell. */
const TYPES: readonly (readonly [string, string, string])[] = [
  ['BIGINT', SIGNED, 'v::VARCHAR'],
  ['BIGINT around 2^53', `9007199254740992 + (range - ${ROWS / 2})`, 'v::VARCHAR'],
  ['UBIGINT', BITS, 'v::VARCHAR'],
  ['HUGEINT', `${SIGNED}::HUGEINT * ${BITS}::HUGEINT`, 'v::VARCHAR'],
  ['INTEGER', `${spread('2147483647')}::INTEGER`, 'v::VARCHAR'],
  ['DECIMAL(4, 2)', `(${spread('9999')} / 100)::DECIMAL(4, 2)`, 'v::VARCHAR'],
  ['DECIMAL(9, 5)', `(${spread('999999999')} / 100000)::DECIMAL(9, 5)`, 'v::VARCHAR'],
  ['DECIMAL(18, 6)', `(${spread('999999999999999')}::DECIMAL(18, 0) / 1000000)::DECIMAL(18, 6)`, 'v::VARCHAR'],
  ['DECIMAL(18, 17)', `(${spread('999999')}::DECIMAL(18, 12) / 1000000)::DECIMAL(18, 17)`, 'v::VARCHAR'],
  ['DECIMAL(38, 9)', `${SIGNED}::DECIMAL(38, 9) * 3`, 'v::VARCHAR'],
  ['UUID', `md5(range::VARCHAR)::UUID`, 'v::VARCHAR'],
  ['DATE', `DATE '1970-01-01' + ${spread('700000')}::INTEGER`, "strftime(v, '%Y-%m-%d')"],
  ['TIMESTAMP', `make_timestamp(${spread('60000000000000000')})`, "strftime(v, '%Y-%m-%dT%H:%M:%S.%f')"],
  ['TIMESTAMP before 1970', `make_timestamp(-abs(${spread('1000000000')}))`, "strftime(v, '%Y-%m-%dT%H:%M:%S.%f')"],
  ['TIMESTAMPTZ', `make_timestamptz(${spread('60000000000000000')})`, "strftime(v, '%Y-%m-%dT%H:%M:%S.%fZ')"],
  [
    'TIMESTAMP_S',
    `make_timestamp(${spread('60000000000')} * 1000000)::TIMESTAMP_S`,
    "strftime(v::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%f')",
  ],
  [
    'TIMESTAMP_MS',
    `make_timestamp(${spread('60000000000000')} * 1000)::TIMESTAMP_MS`,
    "strftime(v::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%f')",
  ],
  [
    'TIMESTAMP_NS',
    `make_timestamp_ns(${spread('9000000000000000000')} // 1000 * 1000)`,
    "strftime(v::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%f')",
  ],
  [
    'TIME',
    `make_time(range % 24, range % 60, (range % 59) + (range % 1000000) / 1000000)`,
    "strftime(DATE '2000-01-01' + v, '%H:%M:%S.%f')",
  ],
  ['VARCHAR of 0 to 40 bytes', `substr(md5(range::VARCHAR) || md5(range::VARCHAR), 1, range % 41)`, 'v'],
];

describe('cells against DuckDB’s own text of the same values', () => {
  it.each(TYPES)('%s, a third of them NULL', async (_, value, text) => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' });
    const source = `SELECT CASE WHEN range % 3 = 0 THEN NULL ELSE ${value} END AS v FROM range(${ROWS})`;
    const rows = await rowsOf(session, `SELECT v, ${text} AS text FROM (${source})`);
    const wrong = rows.filter(([cell = null, own = null]) => textOf(cell) !== own);
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(rows.filter(([cell]) => cell === null)).toHaveLength(Math.ceil(ROWS / 3));
  });

  it('text beyond ASCII, short and long, behind each other', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' });
    const long = ['é', 'x', '日', '😀'].map((letter) => `'${letter.repeat(15)}'`);
    const value = `left([${long}][1 + range % 4], range % 15)`;
    const rows = await rowsOf(session, `SELECT range AS n, ${value} AS v FROM range(${ROWS})`);
    const wrong = rows.filter(([n, cell]) => cell !== ['é', 'x', '日', '😀'][Number(n) % 4]?.repeat(Number(n) % 15));
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it('doubles bit by bit', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' });
    const rows = await rowsOf(
      session,
      `SELECT ${SIGNED} / 7.0e3 AS v, (${SIGNED} / 7.0e3)::VARCHAR AS text FROM range(${ROWS})`,
    );
    expect(rows.filter(([cell, text]) => cell !== Number(text)).slice(0, 3)).toEqual([]);
  });
});

function textOf(cell: Cell): Cell {
  return typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : cell;
}
