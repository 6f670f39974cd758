import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/identity/index.ts';
import { formatMicros, instantFromStore, parseJson } from '../../../src/kernel/index.ts';
import { rowText } from '../../../src/mapping/cells/failed-row.ts';
import { ROW_RULES } from '../../../src/mapping/cells/refusal.ts';
import { assignRoles, DEFAULT_LIMITS } from '../../../src/mapping/people/column-roles.ts';
import { compileMapper, isRefusal } from '../../../src/mapping/people/compile-mapper.ts';
import { iteratorAxis } from '../../../src/mapping/range/iterator-axis.ts';
import type { Cell, Column, ColumnType, IteratorType } from '../../../src/warehouse/index.ts';

const RUN_START = instantFromStore('2024-06-01T00:00:00Z');
const nowMs = () => Date.parse('2024-06-01T00:01:00Z');

function column(name: string, type: ColumnType = 'text', item?: Column): Column {
  return { name, type, nativeType: type.toUpperCase(), ...(item === undefined ? {} : { item }) };
}

function mapperOf(columns: readonly Column[]) {
  const roles = assignRoles(columns, undefined, DEFAULT_LIMITS);
  return compileMapper({ columns, roles, limits: DEFAULT_LIMITS, iterator: undefined, runStart: RUN_START, nowMs });
}

/** JSON text of one attribute, or the rule it breaks. */
function attribute(type: ColumnType, cell: Cell, item?: Column): string | undefined {
  const mapped = mapperOf([column('email'), column('a', type, item)])(['a@b.c', cell]);
  return isRefusal(mapped) ? mapped.rule : (mapped.attributes.texts[0] ?? undefined);
}

function person(columns: readonly Column[], row: readonly Cell[]): Person {
  const mapped = mapperOf(columns)(row);
  if (isRefusal(mapped)) throw new Error(mapped.reason);
  return mapped;
}

describe('the all-zero id of devices that are not tracked', () => {
  const zero = '00000000-0000-0000-0000-000000000000';
  const columns = [column('email'), column('ios_advertising_id')];

  it('is no identity, and a row that has no other belongs to nobody', () => {
    expect(person(columns, ['a@x', zero]).identities).toEqual([{ type: 'email', value: 'a@x' }]);
    expect(mapperOf(columns)([null, zero])).toMatchObject({ rule: 'identity_missing' });
  });
});

describe('roles of columns', () => {
  const refused = (names: readonly string[]) => () =>
    assignRoles(
      names.map((name) => column(name)),
      undefined,
      DEFAULT_LIMITS,
    );

  it('takes reserved names in any case as identities and all others as attributes', () => {
    const columns = ['EMAIL', 'CustomerID', 'Ios_Idfv', 'Mpid', 'Age', 'updated'].map((name) => column(name));
    const { identities, attributes, mpid } = assignRoles(columns, columns.at(-1), DEFAULT_LIMITS);
    expect(identities.map(({ type }) => type)).toEqual(['email', 'customer_id', 'ios_idfv']);
    expect(mpid).toBe(3);
    expect(attributes.map((each) => each.column.name)).toEqual(['Age']);
  });

  it('refuses a model without any identity column', () => {
    expect(refused(['name', 'age'])).toThrow(/selects no identity/);
  });

  it('refuses two columns that mean one identity', () => {
    expect(refused(['email', 'EMAIL'])).toThrow('"email" and "EMAIL" both mean the identity email');
    expect(refused(['customer_id', 'customerid'])).toThrow(/both mean the identity customer_id/);
    expect(refused(['mpid', 'MPID'])).toThrow(/both mean the identity mpid/);
  });

  it('keeps attributes apart that differ in case only', () => {
    expect(refused(['email', 'City', 'CITY'])).not.toThrow();
  });

  it('refuses names over the limit', () => {
    expect(refused(['email', 'x'.repeat(257)])).toThrow(/over 256 characters/);
  });
});

describe('mapping of a row', () => {
  it('makes identities as text with all their digits, trimmed', () => {
    const columns = [column('customer_id', 'integer'), column('email'), column('other')];
    expect(person(columns, [9007199254740993n, ' A@b.c ', null]).identities).toEqual([
      { type: 'customer_id', value: '9007199254740993' },
      { type: 'email', value: 'A@b.c' },
    ]);
  });

  it('takes an MPID as number or decimal text, and nothing beyond 64 bits', () => {
    expect(person([column('mpid')], ['-9223372036854775808']).mpid).toBe(-9223372036854775808n);
    expect(person([column('mpid', 'integer')], [7]).mpid).toBe(7n);
    for (const bad of ['9223372036854775808', '1.5', 'x', 1.5, true]) {
      expect(mapperOf([column('mpid', 'unknown')])([bad])).toMatchObject({ rule: 'mpid_invalid', field: 'mpid' });
    }
  });

  it('fails a row without any identity, and one whose identity is no identity', () => {
    expect(mapperOf([column('email'), column('a')])([null, 'x'])).toMatchObject({
      rule: 'identity_missing',
      field: '',
    });
    for (const bad of ['', '  ', 'x\u0000', '\ud800', 'x'.repeat(1025)]) {
      expect(mapperOf([column('Email')])([bad])).toMatchObject({ rule: 'identity_invalid', field: 'Email' });
    }
    for (const bad of [true, 1.5, [1]]) {
      expect(mapperOf([column('other')])([bad])).toMatchObject({ rule: 'identity_type' });
    }
  });

  it('leaves an attribute alone where the cell is NULL', () => {
    expect(person([column('email'), column('a'), column('b')], ['a@b.c', null, 'x']).attributes).toEqual({
      names: ['a', 'b'],
      texts: [undefined, '"x"'],
    });
  });

  it('writes each type of cell as ruled', () => {
    expect(attribute('boolean', true)).toBe('true');
    expect(attribute('integer', -9223372036854775808n)).toBe('-9223372036854775808');
    expect(attribute('decimal', '12345678901234567890123456789012345678.90')).toBe(
      '12345678901234567890123456789012345678.90',
    );
    expect(attribute('double', 0.1)).toBe('0.1');
    expect(attribute('date', '2024-02-29')).toBe('"2024-02-29"');
    expect(attribute('timestamp_tz', '2024-02-29T00:00:00.000001Z')).toBe('"2024-02-29T00:00:00.000001Z"');
    expect(attribute('binary', new Uint8Array([0, 255]))).toBe('"AP8="');
    expect(attribute('text', 'q"\\\n😀')).toBe('"q\\"\\\\\\n😀"');
    expect(attribute('text', '')).toBe('""');
    expect(attribute('list', [1, null, 2n], column('', 'integer'))).toBe('[1,null,2]');
    expect(attribute('json', '[1, 2.50, "x", 12345678901234567890]')).toBe('[1,2.5,"x",12345678901234567890]');
    expect(attribute('json', 'null')).toBeUndefined();
  });

  it('refuses what an attribute cannot be', () => {
    const nested = { entries: [['a', 1] as const] };
    expect(attribute('double', Number.NaN)).toBe('value_not_finite');
    expect(attribute('double', Number.NEGATIVE_INFINITY)).toBe('value_not_finite');
    expect(attribute('decimal', 'NaN')).toBe('value_not_finite');
    expect(attribute('timestamp', 'infinity')).toBe('value_not_finite');
    expect(attribute('struct', nested)).toBe('value_nested');
    expect(attribute('map', nested)).toBe('value_nested');
    expect(attribute('json', '{"a":1}')).toBe('value_nested');
    expect(attribute('list', [nested], column('', 'struct'))).toBe('value_nested');
    expect(attribute('list', [Number.NaN], column('', 'double'))).toBe('value_not_finite');
    expect(attribute('text', 'x\u0000')).toBe('value_text');
    expect(attribute('text', '\udc00')).toBe('value_text');
    expect(attribute('text', 'x'.repeat(4097))).toBe('value_too_long');
    expect(attribute('text', '😀'.repeat(4096))).toBe(`"${'😀'.repeat(4096)}"`);
    expect(attribute('integer', 'x')).toBe('value_type');
  });

  it('names field, value, rule and reason of a refusal, all of them storable', () => {
    const refusal = mapperOf([column('email'), column('Note')])(['a@b.c', 'x\u0000\ud800']);
    expect(refusal).toMatchObject({ field: 'Note', value: 'x\u2400\ufffd', rule: 'value_text' });
    expect(isRefusal(refusal) && refusal.rule in ROW_RULES).toBe(true);
  });

  it('gives attributes the time of the iterator in its zone, else of the start of the run', () => {
    const columns = [column('email'), column('at', 'timestamp')];
    const [, at = column('')] = columns;
    const iterator = {
      column: at,
      axis: iteratorAxis({ field: 'at', type: 'timestamp', zone: 'Europe/Berlin' }, at),
    };
    const roles = assignRoles(columns, at, DEFAULT_LIMITS);
    const map = compileMapper({ columns, roles, limits: DEFAULT_LIMITS, iterator, runStart: RUN_START, nowMs });
    expect(map(['a@b.c', '2024-01-01T01:00:00.000001'])).toMatchObject({
      setAt: instantFromStore('2024-01-01T00:00:00.000001Z'),
      attributes: { names: [] },
    });
    expect(map(['a@b.c', null])).toMatchObject({ setAt: RUN_START });
    expect(person([column('email')], ['a@b.c']).setAt).toBe(RUN_START);
  });

  describe('takes the time of an iterator', () => {
    const attributesAt = (type: ColumnType, declared: IteratorType, cell: Cell) => {
      const columns = [column('email'), column('at', type)];
      const [, at = column('')] = columns;
      const iterator = { column: at, axis: iteratorAxis({ field: 'at', type: declared, zone: 'Europe/Berlin' }, at) };
      const roles = assignRoles(columns, at, DEFAULT_LIMITS);
      const mapped = compileMapper({ columns, roles, limits: DEFAULT_LIMITS, iterator, runStart: RUN_START, nowMs })([
        'a@b.c',
        cell,
      ]);
      return isRefusal(mapped) ? `${mapped.rule} of ${mapped.field}` : formatMicros(mapped.setAt);
    };
    const REFUSED = 'time_out_of_range of at';

    it.each<readonly [...Parameters<typeof attributesAt>, string]>([
      ['timestamp_tz', 'timestamp_tz', '0001-01-01T00:00:00.000000Z', '0001-01-01T00:00:00.000000Z'],
      ['timestamp', 'timestamp', '0001-01-01T00:00:00.000000', '0001-01-01T00:00:00.000000Z'],
      ['timestamp', 'timestamp', '0099-06-01T00:53:28.000000', '0099-06-01T00:00:00.000000Z'],
      ['date', 'date', '0001-01-01', '0001-01-01T00:00:00.000000Z'],
      ['integer', 'timestamp_unixtime_ms', -62_135_596_800_000, '0001-01-01T00:00:00.000000Z'],
      ['decimal', 'timestamp_unixtime_s', '1.5', '1970-01-01T00:00:01.500000Z'],
    ])('of the first century too: %s as %s, %s', (...given) => {
      const [type, declared, cell, setAt] = given;
      expect(attributesAt(type, declared, cell)).toBe(setAt);
    });

    it.each<[ColumnType, IteratorType, Cell]>([
      ['timestamp_tz', 'timestamp_tz', 'infinity'],
      ['timestamp_tz', 'timestamp_tz', '-infinity'],
      ['timestamp_tz', 'timestamp_tz', '+010000-01-01T00:00:00.000000Z'],
      ['timestamp', 'timestamp', '-000043-03-15T00:00:00.000000'],
      ['timestamp', 'timestamp', '0000-06-01T00:00:00.000000'],
      ['date', 'date', 'infinity'],
      ['date', 'date', '0000-06-01'],
      ['date', 'date', '-000043-03-15'],
      ['integer', 'timestamp_unixtime_ms', -9_223_372_036_854_775_808n],
      ['integer', 'timestamp_unixtime_ms', 1_717_200_000_000_000_000n],
      ['integer', 'timestamp_unixtime_s', 1_717_200_000_000_000],
      ['double', 'timestamp_unixtime_s', 1e305],
      ['double', 'timestamp_unixtime_s', Number.NaN],
      ['decimal', 'timestamp_unixtime_s', 'NaN'],
      ['unknown', 'timestamp_unixtime_s', ' '],
    ])('only where it is a time: %s as %s, %s', (type, declared, cell) => {
      expect(attributesAt(type, declared, cell)).toBe(REFUSED);
    });

    it('and the start of the run where it is still to come', () => {
      const start = formatMicros(RUN_START);
      expect(attributesAt('timestamp_tz', 'timestamp_tz', '9999-12-31T00:00:00.000000Z')).toBe(start);
      expect(attributesAt('timestamp_tz', 'timestamp_tz', '2024-06-01T00:01:00.000001Z')).toBe(start);
      expect(attributesAt('timestamp_tz', 'timestamp_tz', '2024-06-01T00:01:00.000000Z')).toBe(
        '2024-06-01T00:01:00.000000Z',
      );
    });
  });

  it('writes any text so that it reads back the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        const written = attribute('text', text) ?? '';
        if (text.includes('\u0000')) expect(written).toBe('value_text');
        else expect(parseJson(written)).toBe(text);
      }),
    );
  });
});

describe('a failed row', () => {
  it('is kept whole as JSON, whatever it holds', () => {
    const columns = [column('a'), column('b', 'double'), column('c', 'binary'), column('d', 'struct'), column('e')];
    const row: Cell[] = ['x\u0000', Number.NaN, new Uint8Array([1]), { entries: [['k', 9007199254740993n]] }, null];
    expect(rowText(columns, row)).toBe('{"a":"x\\u0000","b":"NaN","c":"AQ==","d":{"k":9007199254740993},"e":null}');
  });
});
