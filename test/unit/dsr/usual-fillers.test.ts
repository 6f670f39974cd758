import { expect, it } from 'vitest';
import { isUsualFiller } from '../../../src/dsr/work/usual-fillers.ts';

it.each([
  ...['unknown', ' Unknown ', 'n/a', 'N/A', 'null', '(none)', 'undefined', 'test', 'x', '-'],
  ...['0', '0000000000', '+999 999 999', '1234567890', '000-000-0000'],
  ...['none@none.com', 'test@test.com', 'no@email.com', 'noreply@example', 'NULL@NULL'],
])('%s is what forms are filled with', (value) => {
  expect(isUsualFiller(value)).toBe(true);
});

it.each([
  ...['ann', 'null-pointer', 'unknown soldier', '', '0791234567', '12345679', 'test1'],
  ...['ann@test.com', 'test@penstock.io', 'none@none.none.com', '@test.com'],
])('%j may be a person’s', (value) => {
  expect(isUsualFiller(value)).toBe(false);
});
