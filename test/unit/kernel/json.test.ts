import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRawNumber, type Json, parseJson, rawNumber, stringifyJson } from '../../../src/kernel/index.ts';

const roundTrip = (text: string) => stringifyJson(parseJson(text));

describe('64-bit integers', () => {
  test.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '18446744073709551615'])(
    '%s survives as a bigint',
    (text) => {
      expect(parseJson(text)).toBe(BigInt(text));
      expect(roundTrip(text)).toBe(text);
    },
  );

  test('safe integers stay numbers, up to the last one', () => {
    expect(parseJson('9007199254740991')).toBe(9007199254740991);
    expect(parseJson('[0,-1,1234567890123456]')).toEqual([0, -1, 1234567890123456]);
  });

  test('survive deep inside and beside ordinary values', () => {
    const text = '{"a":[{"mpid":-9223372036854775808,"b":true}],"c":"x","d":null,"e":1.5}';
    expect(parseJson(text)).toEqual({ a: [{ mpid: -(2n ** 63n), b: true }], c: 'x', d: null, e: 1.5 });
    expect(roundTrip(text)).toBe(text);
  });
});

describe('numbers a double cannot carry', () => {
  test.each([
    '12345678901234567890123456789012345.678',
    '0.12345678901234567890123456789012345678',
    '-99999999999999999999999999999999999999e-10',
    '1e400',
    '-1E+400',
    '1e-400',
    '0.1000000000000000055511151231257827',
  ])('%s keeps its text', (text) => {
    expect(isRawNumber(parseJson(text))).toBe(true);
    expect(roundTrip(`{"n":${text}}`)).toBe(`{"n":${text}}`);
  });

  test.each(['0.30000000000000004', '1.7976931348623157e308', '5e-324', '0e-999', '1.5000000000000000000'])(
    '%s stays a number, for a double carries it',
    (text) => {
      expect(parseJson(text)).toBe(Number(text));
    },
  );

  test('rawNumber writes its digits', () => {
    expect(stringifyJson({ price: rawNumber('10.000000000000000000001') })).toBe('{"price":10.000000000000000000001}');
  });
});

describe('text and keys', () => {
  test('digits inside strings and escapes stay text', () => {
    const text = '["9223372036854775807","\\u0031\\u0032345678901234567890","a\\"1e400","\\\\9223372036854775807"]';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test.each(['{"__proto__":{"a":1}}', '{"__proto__":{"a":9223372036854775807}}'])(
    '__proto__ stays an own property: %s',
    (text) => {
      const value = parseJson(text) as Record<string, unknown>;
      expect(Object.hasOwn(value, '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect('a' in value).toBe(false);
      expect(stringifyJson(value)).toBe(text);
    },
  );

  test.each(['', '{', '[1,]', '01', '9223372036854775807x', '{"a":9223372036854775807,}', 'NaN', '1e', "{'a':1}"])(
    'refuses %j as JSON.parse does',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

describe('writing', () => {
  test('leaves out what JSON.stringify leaves out, with and without a bigint', () => {
    const value = { a: undefined, b: () => 1, c: new Date(0), d: Number.NaN };
    expect(stringifyJson(value)).toBe(JSON.stringify(value));
    expect(stringifyJson({ ...value, e: 1n })).toBe('{"c":"1970-01-01T00:00:00.000Z","d":null,"e":1}');
  });

  test('still refuses a circle', () => {
    const circle: Record<string, unknown> = { big: 1n };
    circle.self = circle;
    expect(() => stringifyJson(circle)).toThrow(TypeError);
  });
});

describe('any value', () => {
  const leaf = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: 'grapheme' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    fc.maxSafeInteger(),
    fc.bigInt().filter((value) => !Number.isSafeInteger(Number(value))),
  );
  const { value: anyJson } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value')),
      fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value')),
    ),
  }));

  test('comes back equal from its text', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
        expect(parseJson(text)).toEqual(integersAsWritten(value as Json));
      }),
    );
  });

  test('without long numbers gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        if (!/\d{16}|\d\.\d{14}|e[+-]?\d{3}/.test(text)) expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

/** A double such as 1e20 is written as an integer of 21 digits, so it comes back as a bigint: the same number. */
function integersAsWritten(value: Json): unknown {
  if (typeof value === 'number' && /^-?\d+$/.test(String(value)) && !Number.isSafeInteger(value)) {
    return BigInt(String(value));
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map(integersAsWritten);
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, integersAsWritten(item as Json)]);
  return Object.fromEntries(entries);
}
