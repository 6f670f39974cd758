import { HASH_BYTES } from '../../mapping/index.ts';
import { addHash, createSegment, type HashSegment, takeHash } from './hash-segment.ts';

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
const MOST_BUCKET_BITS = 19;
/** Buckets of a segment. Each segment shrinks by itself, so that hardly anything is ever held twice. */
const SEGMENT_BITS = 14;
const BUCKETS = 2 ** SEGMENT_BITS;

/**
 * Reads the stream twice: first to see how many hashes each bucket gets, then to lay them down one behind the other. So no
 * byte is spent on growing, and beside the hashes there is never more than one piece of the stream: 10 million take 85 MB,
 * less and less while they are taken, and a row is found, or missed, in less than 1 µs. `expected` only decides the number of
 * buckets.
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
  const bucketOf = (word: number) => (word >>> shift) % BUCKETS;
  const segmentOf = (words: Uint32Array, at: number) =>
    segments[((words[at] as number) >>> shift) >>> SEGMENT_BITS] as HashSegment;
  let counts = new Uint32Array(2 ** bits);
  let segments: readonly HashSegment[] = [];
  let left = 0;
  return {
    get left() {
      return left;
    },
    count(words: Uint32Array, at: number): void {
      (counts[(words[at] as number) >>> shift] as number)++;
    },
    layOut(): void {
      const firsts = Array.from({ length: Math.ceil(counts.length / BUCKETS) }, (_, index) => index * BUCKETS);
      segments = firsts.map((first) => createSegment(counts.subarray(first, first + BUCKETS), bucketOf));
      counts = new Uint32Array(0);
    },
    add(words: Uint32Array, at: number): void {
      addHash(segmentOf(words, at), words, at);
      left++;
    },
    take(words: Uint32Array, at: number): boolean {
      if (!takeHash(segmentOf(words, at), words, at)) return false;
      left--;
      return true;
    },
  };
}
