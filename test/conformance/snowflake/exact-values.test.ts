// Values that the local server does not hold as Snowflake does, as Snowflake writes them on the wire.
import { expect, it } from 'vitest';
import type { Cell } from '../../../src/warehouse/index.ts';
import { type FakeColumn, openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { readAll, requestOf } from '../reading.ts';
import { openOn } from './open-on.ts';

const fixed = (scale: number): FakeColumn => ({ name: 'N', type: 'fixed', precision: 38, scale });
const of = (type: string, scale?: number): FakeColumn => ({
  name: 'X',
  type,
  ...(scale === undefined ? {} : { scale }),
});
const NINES = '9'.repeat(38);

const VALUES: readonly (readonly [what: string, FakeColumn, text: string, type: string, Cell])[] = [
  ['38 digits without a point', fixed(0), NINES, 'integer', BigInt(NINES)],
  ['the least of them', fixed(0), `-${NINES}`, 'integer', BigInt(`-${NINES}`)],
  ['38 digits behind the point', fixed(37), `-0.${'0'.repeat(36)}1`, 'decimal', `-0.${'0'.repeat(36)}1`],
  ['an integer that is safe', fixed(0), '9007199254740991', 'integer', 9007199254740991],
  ['an integer that is not', fixed(0), '9007199254740993', 'integer', 9007199254740993n],
  ['nothing', fixed(0), '-0', 'integer', -0],
  ['NaN', of('real'), 'NaN', 'double', Number.NaN],
  ['infinity', of('real'), 'inf', 'double', Number.POSITIVE_INFINITY],
  ['minus infinity', of('real'), '-inf', 'double', Number.NEGATIVE_INFINITY],
  ['minus zero', of('real'), '-0', 'double', -0],
  ['an exponent', of('real'), '1.7976931348623157e+308', 'double', Number.MAX_VALUE],
  ['true', of('boolean'), 'true', 'boolean', true],
  ['the first day', of('date'), '-719162', 'date', '0001-01-01'],
  ['the last day', of('date'), '2932896', 'date', '9999-12-31'],
  ['a day', of('date'), '19782', 'date', '2024-02-29'],
  ['nanoseconds of a day', of('time', 9), '86399.999999999', 'time', '23:59:59.999999999'],
  ['a time without a fraction', of('time', 0), '3600', 'time', '01:00:00.000000'],
  [
    'nanoseconds without zone',
    of('timestamp_ntz', 9),
    '1711852200.000000001',
    'timestamp',
    '2024-03-31T02:30:00.000000001',
  ],
  ['the nanosecond before 1970', of('timestamp_ntz', 9), '-0.000000001', 'timestamp', '1969-12-31T23:59:59.999999999'],
  ['a second before 1970', of('timestamp_ntz', 9), '-1.500000000', 'timestamp', '1969-12-31T23:59:58.500000'],
  ['the year 1', of('timestamp_ntz', 9), '-62135596800.000000000', 'timestamp', '0001-01-01T00:00:00.000000'],
  ['the end of 9999', of('timestamp_ntz', 6), '253402300799.999999', 'timestamp', '9999-12-31T23:59:59.999999'],
  [
    'an instant of the session’s zone',
    of('timestamp_ltz', 9),
    '1729989000.123456789',
    'timestamp_tz',
    '2024-10-27T00:30:00.123456789Z',
  ],
  [
    'an instant with an offset',
    of('timestamp_tz', 9),
    '1729989000.000001000 1560',
    'timestamp_tz',
    '2024-10-27T00:30:00.000001Z',
  ],
  [
    'the same of another offset',
    of('timestamp_tz', 9),
    '1729989000.000001000 1020',
    'timestamp_tz',
    '2024-10-27T00:30:00.000001Z',
  ],
  ['binary', of('binary'), '00FF10', 'binary', new Uint8Array([0, 255, 16])],
  ['no byte', of('binary'), '', 'binary', new Uint8Array([])],
  ['an empty text', of('text'), '', 'text', ''],
  ['the text NULL', of('text'), 'NULL', 'text', 'NULL'],
  ['a variant', of('variant'), '{"a":12345678901234567890.5}', 'json', '{"a":12345678901234567890.5}'],
  ['an object', of('object'), '{"b":9007199254740993}', 'json', '{"b":9007199254740993}'],
  ['a map', of('map'), '{"k":1}', 'json', '{"k":1}'],
  ['a list', of('array'), '[9007199254740993,"x",null,[1.10]]', 'list', ['9007199254740993', '"x"', null, '[1.1]']],
  [
    'a structured object',
    of('object'),
    '{"id":12345678901234567890,"at":"x"}',
    'json',
    '{"id":12345678901234567890,"at":"x"}',
  ],
  ['a structured list', of('array'), '[{"n":9007199254740993}]', 'list', ['{"n":9007199254740993}']],
  ['a vector', of('vector'), '[1.100000,-2.000000]', 'text', '[1.100000,-2.000000]'],
  ['a place on the globe', of('geography'), 'SRID=4326;POINT(-122.35 37.55)', 'text', 'SRID=4326;POINT(-122.35 37.55)'],
  ['a shape in the plane', of('geometry'), 'SRID=0;LINESTRING(1 2,3 4)', 'text', 'SRID=0;LINESTRING(1 2,3 4)'],
  [
    'a float of 38 digits',
    of('decfloat'),
    '1.2345678901234567890123456789012345678e100',
    'text',
    '1.2345678901234567890123456789012345678e100',
  ],
  ['years and months', of('interval_year_month', 0), '43', 'text', '+3-07'],
  ['years alone', of('interval_year_month', 1), '36', 'text', '+3-00'],
  ['months before', of('interval_year_month', 2), '-1', 'text', '-0-01'],
  ['the longest years', of('interval_year_month', 0), '11999999999', 'text', '+999999999-11'],
  ['days and a time', of('interval_day_time', 9), '273906123456000', 'text', '+3 04:05:06.123456'],
  ['nanoseconds before', of('interval_day_time', 9), '-1', 'text', '-0 00:00:00.000000001'],
  ['no time', of('interval_day_time', 0), '0', 'text', '+0 00:00:00.000000'],
  ['the longest days', of('interval_day_time', 9), '86399999999999999999999', 'text', '+999999999 23:59:59.999999999'],
  ['a type of the future', of('quaternion'), '[1,2]', 'unknown', '[1,2]'],
];

it.each(VALUES.map(([what, ...value]) => [what, value] as const))('reads %s exactly', async (_, value) => {
  const [column, text, type, cell] = value;
  await using server = await openFakeSnowflake({
    answer: () => ({ columns: [column], rows: [[text], [null], [text]] }),
  });
  await using session = await openOn(server.port);
  const { columns, rows } = await readAll(session, requestOf('SELECT x'));
  expect(columns[0]).toMatchObject({ type });
  expect(rows).toEqual([[cell], [null], [cell]]);
});

it.each([
  ['timestamp_ntz', 'yesterday'],
  ['interval_year_month', 'a while'],
  ['interval_day_time', '1.5'],
])('says of a %s that is none what it was', async (type, text) => {
  const rows = [[text]];
  await using server = await openFakeSnowflake({ answer: () => ({ columns: [of(type, 9)], rows }) });
  await using session = await openOn(server.port);
  await expect(readAll(session, requestOf('SELECT x'))).rejects.toMatchObject({
    code: 'WAREHOUSE_DATA',
    message: expect.stringContaining(text),
  });
});
