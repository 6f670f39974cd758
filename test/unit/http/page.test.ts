import { expect, test } from 'vitest';
import { readPage } from '../../../src/http/page.ts';

test('begins at page 1 with 100 items and no bounds', () => {
  expect(readPage({})).toEqual({ limit: 100, offset: 0, from: undefined, to: undefined });
});

test('skips the pages before', () => {
  expect(readPage({ currentPage: 4, pageSize: 25 })).toMatchObject({ limit: 25, offset: 75 });
});

test('takes instants in any zone', () => {
  const page = readPage({ startDate: '2024-01-31T02:00:00+02:00', endDate: '2024-02-01T00:00:00.5Z' });
  expect(page.from?.toISOString()).toBe('2024-01-31T00:00:00.000Z');
  expect(page.to?.toISOString()).toBe('2024-02-01T00:00:00.500Z');
});

test('takes days of UTC, the last one to its end', () => {
  const page = readPage({ startDate: '2024-01-31', endDate: '2024-01-31' });
  expect(page.from?.toISOString()).toBe('2024-01-31T00:00:00.000Z');
  expect(page.to?.toISOString()).toBe('2024-01-31T23:59:59.999Z');
});

test('takes the first and the last time that there is', () => {
  const { from, to } = readPage({ startDate: '9999-12-31T23:59:59.999999Z', endDate: '0001-01-01' });
  expect([from, to].map((date) => date?.toISOString())).toEqual([
    '9999-12-31T23:59:59.999Z',
    '0001-01-01T23:59:59.999Z',
  ]);
  expect(() => readPage({ startDate: '0000-01-01' })).toThrow('startDate');
});

test('refuses bounds that are no time, all at once', () => {
  expect(() => readPage({ startDate: 'yesterday', endDate: '2024-02-30' })).toThrow(/startDate: .*endDate: /);
});
