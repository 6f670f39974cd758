/** Some buckets of hashes that follow each other, in one piece of memory that becomes less as hashes are taken. */
export interface HashSegment {
  /** A bucket lies from its start to the start of the next one; what was not taken ends at its end. Counted in hashes. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  kept: Uint32Array<ArrayBuffer>;
  left: number;
  /** What the first word of a hash says of its bucket. */
  readonly bucketOf: (word: number) => number;
}

/**
 * The first word of a hash only says its bucket, the last is let go: 64 bits and those of the bucket tell rows apart. Among
 * ten million, one that is new passes for one that was taken once in 10^10 runs.
 */
const KEPT_WORDS = 2;
/** Where less of the memory than this share is needed, the rest goes. */
const FULL_ENOUGH = 0.9;

/** `counts`: how many hashes each bucket will get. */
export function createSegment(counts: Uint32Array, bucketOf: HashSegment['bucketOf']): HashSegment {
  const starts = new Uint32Array(counts.length + 1);
  // an iterator's pairs would be 10 MB of garbage for ten million hashes
  for (let bucket = 0; bucket < counts.length; bucket++) {
    starts[bucket + 1] = (starts[bucket] as number) + (counts[bucket] as number);
  }
  const kept = new Uint32Array((starts.at(-1) as number) * KEPT_WORDS);
  return { starts, ends: starts.slice(0, -1), kept, left: 0, bucketOf };
}

/** Whatever was taken, none may be added any more. */
export function addHash(segment: HashSegment, words: Uint32Array, at: number): void {
  const { starts, ends, kept } = segment;
  const bucket = segment.bucketOf(words[at] as number);
  const end = ends[bucket] as number;
  if (end === starts[bucket + 1]) throw new RangeError('A second reading of the hashes brought more than the first.');
  for (let word = 0; word < KEPT_WORDS; word++) kept[end * KEPT_WORDS + word] = words[at + 1 + word] as number;
  ends[bucket] = end + 1;
  segment.left++;
}

/** The last of the bucket moves into the gap, so what was taken is never looked at again, however many are equal. */
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

/** With less than one hash a bucket, starts and ends are what takes memory. */
function isWorthShrinking({ kept, ends, left }: HashSegment): boolean {
  return left > ends.length && left * KEPT_WORDS < kept.length * FULL_ENOUGH;
}

/** Every bucket moves to the end of the one before it; the memory behind the last goes at once, not with a collection. */
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
