import { describe, expect, test } from 'vitest';
import { FAILURES_ALLOWED } from '../../../src/access/tokens/failure-windows.ts';
import { ADDRESS_FAILURES_ALLOWED, createFailureLimit } from '../../../src/access/tokens/limit-failures.ts';
import { networkOf } from '../../../src/access/tokens/network-of.ts';
import { AppError } from '../../../src/kernel/index.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';

const wrong = () => Promise.reject(new AppError('UNAUTHENTICATED', 'wrong'));
const right = () => Promise.resolve('token');
const codeOf = (attempt: Promise<unknown>) => attempt.catch((error: AppError) => error.code);

const ours = { address: '192.0.2.1', clientId: 'ours' };

async function failed(limit: ReturnType<typeof createFailureLimit>, who = ours, times = FAILURES_ALLOWED) {
  for (let i = 0; i < times; i++) expect(await codeOf(limit(who, wrong))).toBe('UNAUTHENTICATED');
}

describe('the limit of failed attempts', () => {
  test('tells who guesses to wait until the minute is over, and refuses the right secret never', async () => {
    const clock = fakeClock();
    const limit = createFailureLimit(clock);
    await failed(limit);
    clock.advance(15_000);
    await expect(limit(ours, wrong)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 45 });
    expect(await limit(ours, right)).toBe('token');
    expect(await codeOf(limit({ ...ours, address: '192.0.2.2' }, wrong))).toBe('UNAUTHENTICATED');
    expect(await codeOf(limit({ ...ours, clientId: 'theirs' }, wrong))).toBe('UNAUTHENTICATED');
    clock.advance(45_000);
    expect(await codeOf(limit(ours, wrong))).toBe('UNAUTHENTICATED');
  });

  test('bounds an address that names ever other clients', async () => {
    const limit = createFailureLimit(fakeClock());
    for (let i = 0; i < ADDRESS_FAILURES_ALLOWED; i++) await failed(limit, { ...ours, clientId: `client ${i}` }, 1);
    expect(await codeOf(limit({ ...ours, clientId: 'one more' }, wrong))).toBe('RATE_LIMITED');
    expect(await limit(ours, right)).toBe('token');
    expect(await codeOf(limit({ ...ours, address: '192.0.2.2' }, wrong))).toBe('UNAUTHENTICATED');
  });

  test('keeps no further clients of an address beyond its bound, in place of those of others', async () => {
    const limit = createFailureLimit(fakeClock());
    await failed(limit);
    const flood = Array.from({ length: 10_000 }, (_, i) =>
      codeOf(limit({ address: '192.0.2.2', clientId: `client ${i}` }, wrong)),
    );
    await Promise.all(flood);
    expect(await codeOf(limit(ours, wrong))).toBe('RATE_LIMITED');
  });

  test('counts neither successes nor other refusals', async () => {
    const limit = createFailureLimit(fakeClock());
    const malformed = () => Promise.reject(new AppError('VALIDATION_FAILED', 'no grant type'));
    for (let i = 0; i < 3 * FAILURES_ALLOWED; i++) {
      expect(await limit(ours, right)).toBe('token');
      expect(await codeOf(limit(ours, malformed))).toBe('VALIDATION_FAILED');
    }
  });

  test('tells no more apart when they come at once', async () => {
    const limit = createFailureLimit(fakeClock());
    const codes = await Promise.all(Array.from({ length: 100 }, () => codeOf(limit(ours, wrong))));
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(FAILURES_ALLOWED);
  });

  test('forgets the oldest names when there are too many', async () => {
    const limit = createFailureLimit(fakeClock());
    await failed(limit);
    for (let i = 0; i < 5_000; i++)
      await limit({ address: `address ${i}`, clientId: 'x' }, wrong).catch(() => undefined);
    expect(await codeOf(limit(ours, wrong))).toBe('UNAUTHENTICATED');
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
