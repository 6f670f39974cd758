import { HASH_BYTES } from './row-hash.ts';

/** Words of 32 bits that a hash has. */
export const HASH_WORDS = HASH_BYTES / 4;

/** Hashes that can each be taken as often as they stand in it: two equal rows are two rows. */
export interface HashMultiset {
  /** Hashes that were not taken. */
  readonly left: number;
  /** Takes the hash that begins at word `at`; false when it is not there, or not any more. */
  take(words: Uint32Array, at: number): boolean;
}

/** Hands over what is stored, piece by piece, each some whole hashes. */
export type HashStream = (onHashes: (words: Uint32Array) => void) => Promise<void>;

export const NO_HASHES: HashMultiset = { left: 0, take: () => false };

/** Hashes of a bucket, on average, where there are many. */
const PER_BUCKET = 4;
const MOST_BUCKET_BITS = 20;
/**
 * The first word of a hash only says its bucket, the last is let go: 64 bits and those of the bucket tell rows apart. Among
 * ten million, one that is new passes for one that was taken once in 10^11 runs.
 */
const KEPT_WORDS = 2;

/**
 * Reads the stream twice: first to see how many hashes each bucket gets, then to lay them down one behind the other. So no
 * byte is spent on growing, and beside the hashes there is never more than one piece of the stream: 10 million take 90 MB,
 * and a row is found, or missed, in less than 1 µs. `expected` only decides the number of buckets.
 */
export async function loadHashes(expected: number, stream: HashStream): Promise<HashMultiset> {
  if (expected === 0) return NO_HASHES;
  const bits = Math.max(1, Math.min(MOST_BUCKET_BITS, Math.ceil(Math.log2(expected / PER_BUCKET))));
  const buckets = createBuckets(bits);
  await stream((words) => everyHash(words, buckets.count));
  buckets.layOut();
  await stream((words) => everyHash(words, buckets.add));
  return buckets;
}

function everyHash(words: Uint32Array, visit: (words: Uint32Array, at: number) => void): void {
  for (let at = 0; at < words.length; at += HASH_WORDS) visit(words, at);
}

function createBuckets(bits: number) {
  const shift = 32 - bits;
  // a bucket lies from its start to the start of the next one; what was not taken ends at its end
  const starts = new Uint32Array(2 ** bits + 1);
  let ends = new Uint32Array(0);
  let kept = new Uint32Array(0);
  let left = 0;
  const bucketOf = (words: Uint32Array, at: number) => (words[at] as number) >>> shift;
  const isAt = (place: number, words: Uint32Array, at: number) =>
    kept[place] === words[at + 1] && kept[place + 1] === words[at + 2];
  return {
    get left() {
      return left;
    },
    count(words: Uint32Array, at: number): void {
      (starts[bucketOf(words, at) + 1] as number)++;
    },
    layOut(): void {
      for (let bucket = 1; bucket < starts.length; bucket++) (starts[bucket] as number) += starts[bucket - 1] as number;
      ends = starts.slice(0, -1);
      kept = new Uint32Array((starts.at(-1) as number) * KEPT_WORDS);
    },
    add(words: Uint32Array, at: number): void {
      const bucket = bucketOf(words, at);
      const end = ends[bucket] as number;
      if (end === starts[bucket + 1])
        throw new RangeError('A second reading of the hashes brought more than the first.');
      for (let word = 0; word < KEPT_WORDS; word++) kept[end * KEPT_WORDS + word] = words[at + 1 + word] as number;
      ends[bucket] = end + 1;
      left++;
    },
    /** The last of the bucket moves into the gap, so what was taken is never looked at again, however many are equal. */
    take(words: Uint32Array, at: number): boolean {
      const bucket = bucketOf(words, at);
      const last = ((ends[bucket] as number) - 1) * KEPT_WORDS;
      for (let place = (starts[bucket] as number) * KEPT_WORDS; place <= last; place += KEPT_WORDS) {
        if (!isAt(place, words, at)) continue;
        kept.copyWithin(place, last, last + KEPT_WORDS);
        (ends[bucket] as number)--;
        left--;
        return true;
      }
      return false;
    },
  };
}
