import { randomInt } from 'node:crypto';

/** Two words of 32 bits. */
export type HashKey = readonly [number, number];

const WORD = 2 ** 32;
const FINAL_ROUNDS = 3;

export function randomHashKey(): HashKey {
  return [randomInt(WORD), randomInt(WORD)];
}

/**
 * Returns the HalfSipHash-1-3 of the bytes, 32 bits. Without the key, texts with equal hashes cannot be found better than by
 * chance.
 * A seeded FNV-1a would not suffice: there the distance of two texts depends on only eight bits of the seed.
 */
export function keyedHash(bytes: Uint8Array, { from, to }: { from: number; to: number }, key: HashKey): number {
  let [v0, v1] = [key[0] | 0, key[1] | 0];
  let [v2, v3] = [v0 ^ 0x6c796765, v1 ^ 0x74656462];
  const words = (to - from) >>> 2;
  for (let index = 0; index <= words + FINAL_ROUNDS; index++) {
    const word = index > words ? 0 : wordAt(bytes, from + 4 * index, to) | (index === words ? (to - from) << 24 : 0);
    if (index === words + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = rotated(v1, 5) ^ v0;
    v0 = rotated(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotated(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotated(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotated(v1, 13) ^ v2;
    v2 = rotated(v2, 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}

/** Reads a little-endian word; bytes after the end are zeros. */
function wordAt(bytes: Uint8Array, at: number, to: number): number {
  let word = 0;
  for (let end = Math.min(at + 4, to) - 1; end >= at; end--) word = (word << 8) | (bytes[end] as number);
  return word;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
