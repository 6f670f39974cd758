import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HASH_WORDS, type HashStream, loadHashes } from '../../../src/runs/ledger/hash-multiset.ts';
import { addHash, createSegment, takeHash } from '../../../src/runs/ledger/hash-segment.ts';

// few values a word, so that hashes collide in a bucket and differ in one word only
const word = fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1);
const hash = fc.array(word, { minLength: HASH_WORDS, maxLength: HASH_WORDS });

function streamOf(pieces: readonly (readonly (readonly number[])[])[]): HashStream {
  return async (onHashes) => {
    for (const piece of pieces) onHashes(Uint32Array.from(piece.flat()));
  };
}

/** As far as the hashes say it: their first word only says the bucket, and the last is let go. */
const nameOf = (bucketBits: number) => (it: readonly number[]) =>
  [Math.floor((it[0] ?? 0) / 2 ** (32 - bucketBits)), ...it.slice(1, 3)].join();

describe('a multiset of hashes', () => {
  test('gives each hash as often as it was laid in, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(hash, { maxLength: 12 })), fc.array(hash), async (pieces, asked) => {
        const stored = pieces.flat();
        const set = await loadHashes(stored.length, streamOf(pieces));
        expect(set.left).toBe(stored.length);
        const bits = Math.max(1, Math.ceil(Math.log2(stored.length / 4)));
        const counts = new Map<string, number>();
        for (const name of stored.map(nameOf(bits))) counts.set(name, (counts.get(name) ?? 0) + 1);
        for (const each of [...asked, ...stored, ...asked]) {
          const name = nameOf(bits)(each);
          const left = counts.get(name) ?? 0;
          expect(set.take(Uint32Array.from([9, ...each]), 1)).toBe(left > 0);
          if (left > 0) counts.set(name, left - 1);
        }
        expect(set.left).toBe([...counts.values()].reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 300 },
    );
  });

  test('takes a hundred thousand equal ones without looking at those that are gone', async () => {
    const equal = Uint32Array.from({ length: 100_000 * HASH_WORDS }, (_, index) => index % HASH_WORDS);
    const set = await loadHashes(100_000, async (onHashes) => onHashes(equal));
    for (let at = 0; at < equal.length; at += HASH_WORDS) expect(set.take(equal, at)).toBe(true);
    expect([set.left, set.take(equal, 0)]).toEqual([0, false]);
  });

  test('keeps what is left where it can be found while it gives back the memory of what was taken', async () => {
    const different = Uint32Array.from({ length: 150_000 * HASH_WORDS }, (_, i) => Math.imul(i + 1, 2_654_435_761));
    const places = Array.from({ length: 150_000 }, (_, index) => index * HASH_WORDS);
    const set = await loadHashes(places.length, async (onHashes) => onHashes(different));
    // every seventh last of all, and each of the others asked for twice
    const others = places.filter((_, index) => index % 7 > 0);
    expect(others.filter((at) => set.take(different, at))).toEqual(others);
    expect(places.filter((at) => set.take(different, at))).toEqual(places.filter((_, index) => index % 7 === 0));
    expect(set.left).toBe(0);
  });

  test('reads nothing where nothing is expected', async () => {
    const set = await loadHashes(0, () => Promise.reject(new Error('It was read.')));
    expect([set.left, set.take(new Uint32Array(HASH_WORDS), 0)]).toEqual([0, false]);
  });

  test('gives back memory once a tenth of a segment was taken, and none for the last of its buckets', () => {
    const words = (n: number) => Uint32Array.from([0, n, 0, 0]);
    const segment = createSegment(Uint32Array.of(15, 5), (word) => word);
    for (let n = 0; n < 15; n++) addHash(segment, words(n), 0);
    const second = Uint32Array.from([1, 7, 0, 0]);
    for (let n = 0; n < 5; n++) addHash(segment, second, 0);
    expect([segment.left, segment.kept.length]).toEqual([20, 40]);
    const sizes = Array.from({ length: 15 }, (_, n) => {
      expect(takeHash(segment, words(n), 0)).toBe(true);
      return segment.kept.length;
    });
    expect(sizes).toEqual([40, 40, 34, 34, 30, 30, 26, 26, 22, 22, 18, 16, 14, 12, 10]);
    const rest = Array.from({ length: 6 }, () => [takeHash(segment, second, 0), segment.left, segment.kept.length]);
    expect(rest).toEqual([
      [true, 4, 8],
      [true, 3, 6],
      [true, 2, 6],
      [true, 1, 6],
      [true, 0, 6],
      [false, 0, 6],
    ]);
  });

  test('refuses a second reading that brings more than the first', async () => {
    let readings = 0;
    const growing: HashStream = async (onHashes) => {
      readings += 1;
      onHashes(new Uint32Array(HASH_WORDS * readings));
    };
    await expect(loadHashes(1, growing)).rejects.toThrow('more than the first');
  });

  test('lives with a second reading that brings less', async () => {
    let readings = 3;
    const set = await loadHashes(3, async (onHashes) => onHashes(new Uint32Array(HASH_WORDS * readings--)));
    const taken = [1, 2, 3].map(() => set.take(new Uint32Array(HASH_WORDS), 0));
    expect(taken).toEqual([true, true, false]);
  });
});
