import { expect, test } from 'vitest';
import { createOutgoing } from '../../../../src/http/outgoing/create-outgoing.ts';
import { spareLookUps } from '../../../../src/http/outgoing/spare-look-ups.ts';

const LIMITS = { atOnce: 2, waiting: 3, patienceMs: 60_000 };

/** Look-ups that end when the test says so. */
function slowNames() {
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  const resolve = (host: string) => {
    asked.push(host);
    return new Promise<readonly string[]>((end) => ends.push(() => end([`address of ${host}`])));
  };
  return { asked, resolve, endFirst: () => ends.shift()?.() };
}

test('looks up few hosts at a time, the others in their order', async () => {
  const names = slowNames();
  const resolve = spareLookUps(names.resolve, LIMITS);
  const found = ['a', 'b', 'c', 'd'].map((host) => resolve(host));
  await expect.poll(() => names.asked).toEqual(['a', 'b']);
  names.endFirst();
  expect(await found[0]).toEqual(['address of a']);
  await expect.poll(() => names.asked).toEqual(['a', 'b', 'c']);
  names.endFirst();
  await expect.poll(() => names.asked).toEqual(['a', 'b', 'c', 'd']);
  names.endFirst();
  names.endFirst();
  expect(await Promise.all(found)).toHaveLength(4);
  const again = resolve('a');
  await expect.poll(() => names.asked.length).toBe(5);
  names.endFirst();
  expect(await again).toEqual(['address of a']);
});

test('looks a host up once for all URLs that name it', async () => {
  const names = slowNames();
  const guard = createOutgoing({ allowedHosts: [], resolve: spareLookUps(names.resolve, LIMITS) });
  const urls = Array.from({ length: 20 }, (_, index) => `https://hooks.example/${index}`);
  const reasons = Promise.all(urls.map((url) => guard.whyRefused(url)));
  await expect.poll(() => names.asked).toEqual(['hooks.example']);
  names.endFirst();
  await reasons;
  expect(names.asked).toEqual(['hooks.example']);
});

test('knows nothing of a host while too many wait, and a URL of it is taken', async () => {
  const names = slowNames();
  const resolve = spareLookUps(names.resolve, LIMITS);
  const guard = createOutgoing({ allowedHosts: [], resolve });
  const waiting = ['a', 'b', 'c', 'd', 'e'].map((host) => resolve(host));
  await expect(resolve('f')).rejects.toThrow('Too many');
  expect(await guard.whyRefused('https://f.example/')).toBeUndefined();
  await expect(guard.call({ url: 'https://f.example/', method: 'POST' })).rejects.toMatchObject({
    code: 'CALL_FAILED',
  });
  for (let asked = 1; asked <= waiting.length; asked++) {
    await expect.poll(() => names.asked.length).toBeGreaterThanOrEqual(asked);
    names.endFirst();
  }
  expect(await Promise.all(waiting)).toHaveLength(5);
  expect(names.asked).not.toContain('f');
});

test('looks nothing up for who has waited too long, and a failure leaves its place to the next', async () => {
  const fails = async () => Promise.reject(new Error('ENOTFOUND'));
  const resolve = spareLookUps(fails, { ...LIMITS, atOnce: 1, patienceMs: 0 });
  const found = await Promise.allSettled(['a', 'b', 'c'].map((host) => resolve(host)));
  const why = found.map((each) => (each.status === 'rejected' ? String(each.reason) : 'found'));
  expect(why).toEqual([
    'Error: ENOTFOUND',
    expect.stringMatching(/did not start in time/),
    expect.stringMatching(/did not start in time/),
  ]);
  await expect(resolve('a')).rejects.toThrow('ENOTFOUND');
});
