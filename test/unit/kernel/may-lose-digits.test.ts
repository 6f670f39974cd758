import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../../src/kernel/index.ts';
import { mayLoseDigits } from '../../../src/kernel/may-lose-digits.ts';

/** The rule as one expression, the referee of the quick search. */
const RULE = /\d(?:\.?\d){15}|\d[eE][+-]?\d{3}/;

/** Texts of digits, points and their neighbours, so that runs of every length begin and end everywhere. */
const part = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 }) },
  { weight: 2, arbitrary: fc.constantFrom('.', '..', '...............................', '7.', '1.5', '-', '"') },
  { weight: 1, arbitrary: fc.constantFrom('e123', '1e123', '2E+400', '3e-99', 'E12', 'e+', 'é', '٣', '😀', ' ') },
  { weight: 1, arbitrary: fc.string({ maxLength: 17 }) },
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

test('the quick search finds exactly what the rule finds', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(mayLoseDigits(given)).toBe(RULE.test(given));
    }),
    { numRuns: 20_000 },
  );
});

test.each([15, 16])('a run of %i digits is judged wherever it begins, with points in it or not', (length) => {
  const digits = '1234567890123456'.slice(0, length);
  for (let before = 0; before < 40; before++) {
    for (let point = 0; point < length; point++) {
      const run = point === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
      expect(mayLoseDigits(`${'x'.repeat(before)}${run}${'x'.repeat(before % 7)}`)).toBe(length === 16);
    }
  }
});

test('a text of points or of single digits is judged by a bounded look at each place', () => {
  for (const unit of ['.', '1..', '1234567.1234567..']) expect(mayLoseDigits(unit.repeat(1_000_000))).toBe(false);
});

test('a number with any digits and exponent is parsed as if each were looked at', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 24 });
  const exponent = fc.constantFrom('', 'e5', 'E-12', 'e+99', 'e100', 'e-100', 'E+308', 'e400');
  fc.assert(
    fc.property(digits, fc.option(digits), exponent, (whole, fraction, power) => {
      const number = `${BigInt(whole)}${fraction === null ? '' : `.${fraction}`}${power}`;
      // the second number makes every text take the exact way
      expect(parseJson(`[${number}]`)).toEqual((parseJson(`[${number},1e999]`) as readonly unknown[]).slice(0, 1));
    }),
    { numRuns: 5_000 },
  );
});
