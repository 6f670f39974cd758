import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decryptBlock, encryptBlock, roundKeysOf } from '../../../src/identity/resolve/block-cipher.ts';
import { createAgeOf, createMpids } from '../../../src/identity/resolve/mpids.ts';
import { type Clock, createIdSource, Secret } from '../../../src/kernel/index.ts';

const START_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const key = new Secret('the key of the identities');

function clockOf(ms: number): Clock {
  return { nowMs: () => ms, sleep: () => Promise.resolve() };
}

const take = (count: number, next: () => bigint): bigint[] => Array.from({ length: count }, next);

describe('the cipher', () => {
  // of the paper that describes it
  it('gives the published vector', () => {
    const keys = roundKeysOf([0x1a1918, 0x121110, 0x0a0908, 0x020100]);
    expect(encryptBlock(keys, [0x6d2073, 0x696874])).toEqual([0x735e10, 0xb6445d]);
  });

  it('is undone', () => {
    const word = fc.nat({ max: 0xff_ff_ff });
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), word, word, (words, upper, lower) => {
        const keys = roundKeysOf(words);
        expect(decryptBlock(keys, encryptBlock(keys, [upper, lower]))).toEqual([upper, lower]);
      }),
    );
  });
});

describe('MPIDs', () => {
  it('are positive, fit 63 bits until 2094 and lie above those that were made before', () => {
    for (const ms of [START_MS, Date.UTC(2094, 0, 1)]) {
      const mpid = createMpids({ key, clock: clockOf(ms), node: 1023 }).next();
      expect(mpid).toBeLessThan(2n ** 63n);
      expect(mpid).toBeGreaterThanOrEqual(2n ** 62n);
    }
    expect(createIdSource(clockOf(START_MS), 1023)()).toBeLessThan(2n ** 62n);
  });

  it('are unique within a process and over processes of one moment', () => {
    const all = [1, 2].flatMap((node) => take(20_000, createMpids({ key, clock: clockOf(START_MS), node }).next));
    expect(new Set(all).size).toBe(40_000);
  });

  it('say nothing of those made right before: each of 48 bits differs about every other time', () => {
    const mpids = take(4_000, createMpids({ key, clock: clockOf(START_MS) }).next);
    const differing = mpids.slice(1).map((mpid, index) => mpid ^ (mpids[index] as bigint));
    for (let bit = 0n; bit < 48n; bit++) {
      const times = differing.filter((difference) => ((difference >> bit) & 1n) === 1n).length;
      expect([bit, times > 1_600 && times < 2_400]).toEqual([bit, true]);
    }
    const other = createMpids({ key: new Secret('another'), clock: clockOf(START_MS), node: 1 }).next();
    expect(createMpids({ key, clock: clockOf(START_MS), node: 1 }).next()).not.toBe(other);
  });

  it('of two days stand apart in the index, the later ones behind', () => {
    const [early, late] = [START_MS, START_MS + 2 * 38 * HOUR_MS].map((ms) =>
      take(100, createMpids({ key, clock: clockOf(ms) }).next),
    ) as [bigint[], bigint[]];
    for (const mpid of late) for (const earlier of early) expect(mpid).toBeGreaterThan(earlier);
  });

  it('tell which is older, also beside those that grow as they are', () => {
    const ageOf = createAgeOf(key);
    const before = take(50, createIdSource(clockOf(START_MS)));
    const mpids = [0, 1, 38 * HOUR_MS, 400 * HOUR_MS].flatMap((ms) =>
      take(300, createMpids({ key, clock: clockOf(START_MS + ms) }).next),
    );
    const ages = [...before, ...mpids].map(ageOf);
    expect(ages).toEqual(ages.toSorted((one, other) => (one < other ? -1 : 1)));
    expect(new Set(ages).size).toBe(ages.length);
    expect(before.map(ageOf)).toEqual(before);
  });
});
