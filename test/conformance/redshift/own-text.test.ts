import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import { openPostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const ROWS = 6000;
/** 60 bits that look random, the same in every run. */
const BITS = `('x' || substr(md5(n::text), 1, 15))::bit(60)::bigint`;
const spread = (most: string) => `((${BITS} % (2 * ${most})) - ${most})`;
const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.US'`;

/** Values of a type all over its range, and the server's own text of each in the form of a cell. */
const TYPES: readonly (readonly [string, string, string])[] = [
  ['bigint', `${BITS} * 8 * (CASE WHEN n % 2 = 0 THEN 1 ELSE -1 END)`, 'v::text'],
  ['bigint around 2^53', `9007199254740992 + (n - ${ROWS / 2})`, 'v::text'],
  ['bigint around 15 digits', `999999999999999 + (n - ${ROWS / 2})`, 'v::text'],
  ['integer', `${spread('2147483647::bigint')}::integer`, 'v::text'],
  ['smallint', `${spread('32767')}::smallint`, 'v::text'],
  ['numeric', `${BITS}::numeric * ${BITS} / 1000000007`, 'v::text'],
  ['float8', `${BITS}::float8 / 1e9 * power(10, n % 40 - 20)`, 'v::text'],
  ['uuid', 'md5(n::text)::uuid', 'v::text'],
  ['date', `date '1970-01-01' + ${spread('700000')}::integer`, "to_char(v, 'YYYY-MM-DD')"],
  [
    'timestamp',
    `timestamp '1970-01-01' + ${spread('60000000000000000')} * interval '1 microsecond'`,
    `to_char(v, ${ISO})`,
  ],
  [
    'timestamptz',
    `timestamptz '1970-01-01 00:00:00Z' + ${spread('60000000000000000')} * interval '1 microsecond'`,
    `to_char(v AT TIME ZONE 'UTC', ${ISO}) || 'Z'`,
  ],
  ['time', `time '00:00' + (${BITS} % 86400000000) * interval '1 microsecond'`, "to_char(v, 'HH24:MI:SS.US')"],
  ['text', 'substr(md5(n::text) || md5(n::text), 1, n % 41)', 'v'],
];

describe('cells against the server’s own text of the same values', () => {
  it.each(TYPES)('%s, a third of them NULL', async (_, value, text) => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await redshift.open(warehouse.config, warehouseEnvironment(), NEVER);
    const source = `SELECT CASE WHEN n % 3 = 0 THEN NULL ELSE ${value} END AS v FROM generate_series(0, ${ROWS - 1}) AS n`;
    const { rows } = await readAll(session, requestOf(`SELECT v, ${text} AS text FROM (${source}) AS s`));
    const wrong = rows.filter(([cell = null, own = null]) => !isSame(cell, own));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(rows.filter(([cell]) => cell === null)).toHaveLength(ROWS / 3);
  });
});

function isSame(cell: Cell, own: Cell): boolean {
  if (cell === null || own === null) return cell === own;
  // the same double may be written 1e+25 and 1e25
  return typeof cell === 'number' ? Object.is(cell, Number(own)) : String(cell) === own;
}
