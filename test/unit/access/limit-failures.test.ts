import { describe, expect, test } from 'vitest';
import { FAILURES_ALLOWED } from '../../../src/access/failure-windows.ts';
import { createFailureLimit } from '../../../src/access/limit-failures.ts';
import { networkOf } from '../../../src/access/network-of.ts';
import { AppError } from '../../../src/kernel/index.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const wrong = () => Promise.reject(new AppError('UNAUTHENTICATED', 'wrong'));
const right = () => Promise.resolve('token');
const codeOf = (attempt: Promise<unknown>) => attempt.catch((error: AppError) => error.code);

async function failed(limit: ReturnType<typeof createFailureLimit>, address: string, times = FAILURES_ALLOWED) {
  for (let i = 0; i < times; i++) expect(await codeOf(limit(address, wrong))).toBe('UNAUTHENTICATED');
}

describe('the limit of failed attempts', () => {
  test('refuses an address that failed too often, right or wrong, until its minute is over', async () => {
    const clock = fakeClock();
    const limit = createFailureLimit(clock);
    await failed(limit, '192.0.2.1');
    clock.advance(15_000);
    await expect(limit('192.0.2.1', right)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 45 });
    expect(await limit('192.0.2.2', right)).toBe('token');
    clock.advance(45_000);
    expect(await limit('192.0.2.1', right)).toBe('token');
  });

  test('counts neither successes nor other refusals', async () => {
    const limit = createFailureLimit(fakeClock());
    const malformed = () => Promise.reject(new AppError('VALIDATION_FAILED', 'no grant type'));
    for (let i = 0; i < 3 * FAILURES_ALLOWED; i++) {
      expect(await limit('192.0.2.1', right)).toBe('token');
      expect(await codeOf(limit('192.0.2.1', malformed))).toBe('VALIDATION_FAILED');
    }
  });

  test('lets no more through when they come at once', async () => {
    const limit = createFailureLimit(fakeClock());
    const codes = await Promise.all(Array.from({ length: 100 }, () => codeOf(limit('192.0.2.1', wrong))));
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(FAILURES_ALLOWED);
  });

  test('forgets the oldest address when there are too many', async () => {
    const limit = createFailureLimit(fakeClock());
    await failed(limit, 'first');
    for (let i = 0; i < 9_999; i++) await limit(`address ${i}`, right);
    expect(await codeOf(limit('first', right))).toBe('RATE_LIMITED');
    await limit('one more', right);
    expect(await limit('first', right)).toBe('token');
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['2001:0DB8:0001::', '2001:db8:1:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
