import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatMicros,
  formatTime,
  instantFromStore,
  microsOfMs,
  msOfMicros,
  parseInstant,
} from '../../../src/kernel/index.ts';

describe('parseInstant', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:00.000001Z', 1n],
    ['1969-12-31T23:59:59.999999Z', -1n],
    ['2024-02-29T12:30Z', 1709209800000000n],
    ['2024-02-29 12:30:15,5z', 1709209815500000n],
    ['2024-03-01T00:00:00+05:30', 1709231400000000n],
    ['2024-03-01T00:00:00-0800', 1709280000000000n],
    ['2024-03-01T00:00:00+02', 1709244000000000n],
    ['2024-03-01T00:00:00.1234569Z', 1709251200123456n],
    ['0001-01-01T00:00:00Z', -62135596800000000n],
    ['9999-12-31T23:59:59.999999Z', 253402300799999999n],
  ])('reads %s', (text, micros) => {
    expect(parseInstant(text)).toBe(micros);
  });

  test.each([
    '2023-02-29T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-00-10T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T23:60:00Z',
    '2024-06-30T23:59:60Z',
    '2024-01-01T00:00:00',
    '2024-01-01',
    '2024-01-01T00:00:00+25:00',
    '2024-01-01T00:00:00+05:75',
    '2024-01-01T00:00:00.Z',
    ' 2024-01-01T00:00:00Z',
    '24-01-01T00:00:00Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test('29 February exists every fourth year, but not in 1900', () => {
    expect(parseInstant('2000-02-29T00:00:00Z')).toBe(951_782_400_000_000n);
    expect(parseInstant('1900-02-28T00:00:00Z')).toBe(-2_203_977_600_000_000n);
  });
});

describe('formatMicros', () => {
  test('always writes six digits and Z', () => {
    expect(formatMicros(0n)).toBe('1970-01-01T00:00:00.000000Z');
    expect(formatMicros(-1n)).toBe('1969-12-31T23:59:59.999999Z');
    expect(formatMicros(1709251200000001n)).toBe('2024-03-01T00:00:00.000001Z');
  });

  test('is read back exactly, and sorts as the instants do', () => {
    const micros = fc.bigInt({ min: -62135596800000000n, max: 253402300799999999n });
    fc.assert(
      fc.property(micros, micros, (left, right) => {
        expect(instantFromStore(formatMicros(left))).toBe(left);
        expect(formatMicros(left) < formatMicros(right)).toBe(left < right);
      }),
    );
  });
});

test('milliseconds are cut toward the past, before 1970 too', () => {
  expect([1999n, 1000n, 999n, 0n, -1n, -1000n, -1001n].map(msOfMicros)).toEqual([1, 1, 0, 0, -1, -1, -2]);
  expect(microsOfMs(-2)).toBe(-2000n);
});

test('a time of the wire is UTC, and null stays null', () => {
  expect(formatTime(new Date(1))).toBe('1970-01-01T00:00:00.001Z');
  expect(formatTime(null)).toBeNull();
});

test('text in the store that is no instant is a bug', () => {
  expect(() => instantFromStore('yesterday')).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
});
