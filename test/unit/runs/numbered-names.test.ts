import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HashKey, keyedHash, randomHashKey } from '../../../src/runs/write-back/keyed-hash.ts';
import { NumberedNames } from '../../../src/runs/write-back/numbered-names.ts';

test('names are numbered in the order they come, each once, and are given back as they were', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', '😀', '\0') });
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const names = new NumberedNames();
      const distinct = [...new Set(texts)];
      expect(texts.map((name) => names.numberOf(name))).toEqual(texts.map((name) => distinct.indexOf(name)));
      expect(distinct.map((_, number) => names.name(number))).toEqual(distinct);
      expect(names.count).toBe(distinct.length);
      expect(names.bytes).toBe(Buffer.byteLength(distinct.join('')));
    }),
  );
});

test('names are numbered by the thousand, however long', () => {
  const names = new NumberedNames();
  const texts = Array.from({ length: 5000 }, (_, n) => `${n}`.repeat(1 + (n % 40)));
  const distinct = [...new Set(texts)];
  for (const text of [...texts, ...texts]) names.numberOf(text);
  expect(names.count).toBe(distinct.length);
  for (const [number, text] of distinct.entries()) expect(names.name(number)).toBe(text);
});

const KEY: HashKey = [0x03020100, 0x07060504];
const hashOf = (text: string, key: HashKey) => {
  const bytes = Buffer.from(text);
  return keyedHash(bytes, { from: 0, to: bytes.length }, key);
};

/** Two texts with one hash. */
function pairOf(hash: (text: string) => number): readonly [string, string] {
  const byHash = new Map<number, string>();
  for (let n = 0; ; n++) {
    const text = n.toString(36).padStart(6, '0');
    const found = hash(text);
    const other = byHash.get(found);
    if (other !== undefined) return [other, text];
    byHash.set(found, text);
  }
}

test('names whose hashes meet are two all the same', () => {
  const pair = pairOf((text) => hashOf(text, KEY));
  const names = new NumberedNames(KEY);
  expect([...pair, ...pair].map((text) => names.numberOf(text))).toEqual([0, 1, 0, 1]);
  expect([names.name(0), names.name(1)]).toEqual(pair);
});

test('names whose hashes meet under one key do not under another, and each instance has its own', () => {
  const [one, other] = pairOf((text) => hashOf(text, KEY));
  const keys = Array.from({ length: 100 }, randomHashKey);
  expect(new Set(keys.map(String)).size).toBe(100);
  expect(keys.filter((key) => hashOf(one, key) === hashOf(other, key))).toEqual([]);
});

test('texts that meet under FNV-1a, whatever the upper bits of its seed, do not meet', () => {
  const fnv = (text: string, seed: number) => {
    let hash = seed;
    for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
    return hash;
  };
  const seeds = Array.from({ length: 8 }, (_, n) => (n << 8) | 0xc5);
  const [one, other] = pairOf((text) => fnv(text, 0xc5));
  expect(seeds.every((seed) => fnv(one, seed) === fnv(other, seed))).toBe(true);
  for (const seed of seeds) expect(hashOf(one, [seed, 0])).not.toBe(hashOf(other, [seed, 0]));
});

test('hashes of texts that differ little lie far apart', () => {
  const texts = Array.from({ length: 4096 }, (_, n) => `c-${n}`);
  const places = new Set(texts.map((text) => hashOf(text, KEY) & 0xffff));
  // as many as chance leaves: 65536 × (1 − e^(−1/16)) is 3,970
  expect(places.size).toBeGreaterThan(3900);
});

test('names are numbered as a map numbers them, whatever the key of their hashes', () => {
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(fc.tuple(word, word), fc.array(fc.string({ unit: 'grapheme', maxLength: 9 })), (key, texts) => {
      const names = new NumberedNames(key);
      const map = new Map<string, number>();
      for (const text of texts) {
        if (!map.has(text)) map.set(text, map.size);
        expect(names.numberOf(text)).toBe(map.get(text));
      }
      expect([...map].map(([, number]) => names.name(number))).toEqual([...map.keys()]);
    }),
  );
});
