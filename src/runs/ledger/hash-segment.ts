/** Consecutive buckets of hashes in one block of memory, which shrinks as hashes are taken. */
export interface HashSegment {
  /**
   * Bounds of the buckets, counted in hashes: a bucket lies between its start and the next start, and its untaken hashes end at
   * its end.
   */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  kept: Uint32Array<ArrayBuffer>;
  left: number;
  /** Returns the bucket of a hash by its first word. */
  readonly bucketOf: (word: number) => number;
}

/**
 * Words kept of a hash. The first word only gives its bucket, and the last is dropped. 64 bits and those of the bucket tell
 * rows apart: among ten million, a new row passes for a taken one once in 10^10 runs.
 */
const KEPT_WORDS = 2;
/** Share of the memory in use below which the rest is freed. */
const FULL_ENOUGH = 0.9;

/** Creates an empty segment. `counts` are the numbers of hashes that the buckets will get. */
export function createSegment(counts: Uint32Array, bucketOf: HashSegment['bucketOf']): HashSegment {
  const starts = new Uint32Array(counts.length + 1);
  // an iterator's pairs would be 10 MB of garbage for ten million hashes
  for (let bucket = 0; bucket < counts.length; bucket++) {
    starts[bucket + 1] = (starts[bucket] as number) + (counts[bucket] as number);
  }
  const kept = new Uint32Array((starts.at(-1) as number) * KEPT_WORDS);
  return { starts, ends: starts.slice(0, -1), kept, left: 0, bucketOf };
}

/** Adds a hash to its bucket. Must not be called after a hash was taken. */
export function addHash(segment: HashSegment, words: Uint32Array, at: number): void {
  const { starts, ends, kept } = segment;
  const bucket = segment.bucketOf(words[at] as number);
  const end = ends[bucket] as number;
  if (end === starts[bucket + 1]) throw new RangeError('A second read of the hashes returned more than the first.');
  for (let word = 0; word < KEPT_WORDS; word++) kept[end * KEPT_WORDS + word] = words[at + 1 + word] as number;
  ends[bucket] = end + 1;
  segment.left++;
}

/**
 * Takes a hash and returns whether it was present. The last hash of the bucket fills the gap, so taken hashes are never
 * compared again, however many are equal.
 */
export function takeHash(segment: HashSegment, words: Uint32Array, at: number): boolean {
  const { starts, ends, kept } = segment;
  const bucket = segment.bucketOf(words[at] as number);
  const second = words[at + 1];
  const third = words[at + 2];
  const last = ((ends[bucket] as number) - 1) * KEPT_WORDS;
  for (let place = (starts[bucket] as number) * KEPT_WORDS; place <= last; place += KEPT_WORDS) {
    if (kept[place] !== second || kept[place + 1] !== third) continue;
    kept.copyWithin(place, last, last + KEPT_WORDS);
    (ends[bucket] as number)--;
    segment.left--;
    if (isWorthShrinking(segment)) shrink(segment);
    return true;
  }
  return false;
}

/** Tells whether shrinking frees memory. With less than one hash for each bucket, starts and ends take most of it. */
function isWorthShrinking({ kept, ends, left }: HashSegment): boolean {
  return left > ends.length && left * KEPT_WORDS < kept.length * FULL_ENOUGH;
}

/**
 * Moves every bucket to the end of the one before it. The memory behind the last is freed at once, without a garbage
 * collection.
 */
function shrink(segment: HashSegment): void {
  const { starts, ends, kept } = segment;
  let to = 0;
  for (let bucket = 0; bucket < ends.length; bucket++) {
    const from = starts[bucket] as number;
    const end = ends[bucket] as number;
    kept.copyWithin(to * KEPT_WORDS, from * KEPT_WORDS, end * KEPT_WORDS);
    starts[bucket] = to;
    to += end - from;
    ends[bucket] = to;
  }
  starts[ends.length] = to;
  segment.kept = new Uint32Array(kept.buffer.transfer(to * KEPT_WORDS * kept.BYTES_PER_ELEMENT));
}
