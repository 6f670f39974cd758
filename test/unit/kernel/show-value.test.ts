import { describe, expect, it } from 'vitest';
import { fieldPath, kindOf, parseJson, quoteValue, wantedOneOf } from '../../../src/kernel/index.ts';

const EXACT = parseJson('0.12345678901234567890123');

describe('a value in a message', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [true, 'true'],
    ['a', 'text'],
    [1, 'a number'],
    [1n, 'a number'],
    [EXACT, 'a number'],
    [[], 'a list'],
    [{}, 'an object'],
  ])('%o is %s', (value, words) => expect(kindOf(value)).toBe(words));

  it('is shown while it is short and single', () => {
    expect([1.5, 2n ** 63n, 'a"b', EXACT, null, [1], { a: 1 }].map(quoteValue)).toEqual([
      '1.5',
      '9223372036854775808',
      '"a\\"b"',
      '0.12345678901234567890123',
      'null',
      'a list',
      'an object',
    ]);
    expect(quoteValue('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`);
    expect(quoteValue('x'.repeat(81))).toBe('text of 81 characters');
    expect(quoteValue(parseJson('9'.repeat(81)))).toBe('a number of 81 characters');
    expect(quoteValue(parseJson(`0.${'9'.repeat(80)}`))).toBe('a number of 82 characters');
  });

  it('is named by a path in which long names are cut', () => {
    expect(fieldPath('config', 'x'.repeat(80))).toBe(`config.${'x'.repeat(80)}`);
    expect(fieldPath('config', 'x'.repeat(100_000))).toBe(`config["${'x'.repeat(80)}…"]`);
  });

  it('stands beside those that are allowed', () => {
    expect(wantedOneOf(['a', 'b'], 'c')).toBe('must be one of a, b, is "c"');
    expect(wantedOneOf(['a'], null)).toBe('must be a, is null');
    expect(wantedOneOf([1, 2], undefined)).toBe('is required and must be one of 1, 2');
  });
});
