import { type HashKey, keyedHash, randomHashKey } from './keyed-hash.ts';

const FIRST_BYTES = 64 * 1024;
const FIRST_NAMES = 1024;
/** Most UTF-8 bytes of a UTF-16 unit. */
const MOST_BYTES_PER_CHAR = 3;
const FREE = -1;

/**
 * Distinct texts, numbered from 0 on in their order of arrival.
 * It replaces a `Map` by consecutive bytes and a table of hashes: a quarter of a million texts that live longer than a chunk
 * cost the garbage collector more than everything else. The hashes are keyed, because end users choose the texts and could
 * otherwise make all of them collide.
 */
export class NumberedNames {
  readonly #hashKey: HashKey;
  #count = 0;
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #ends = new Int32Array(FIRST_NAMES);
  #hashes = new Int32Array(FIRST_NAMES);
  /** Numbers, each at its hash or, after a collision, at the next free place. At least half of the places are free. */
  #places = new Int32Array(2 * FIRST_NAMES).fill(FREE);

  constructor(hashKey: HashKey = randomHashKey()) {
    this.#hashKey = hashKey;
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of all texts. */
  get bytes(): number {
    return this.#startOf(this.#count);
  }

  /** Returns the number of the text, and adds it where it is new. It must contain no half of a surrogate pair. */
  numberOf(name: string): number {
    const end = this.#write(name);
    const hash = keyedHash(this.#bytes, { from: this.bytes, to: end }, this.#hashKey);
    const place = this.#find(hash, end);
    const known = this.#places[place] as number;
    if (known !== FREE) return known;
    const number = this.#count;
    this.#places[place] = number;
    this.#hashes[number] = hash;
    this.#ends[number] = end;
    this.#count += 1;
    if (this.#count === this.#ends.length) this.#grow();
    return number;
  }

  name(number: number): string {
    return this.#bytes.toString('utf8', this.#startOf(number), this.#ends[number]);
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] as number);
  }

  /** Writes the text behind the last one, where it stays if it is new. Returns its end. */
  #write(name: string): number {
    const most = this.bytes + name.length * MOST_BYTES_PER_CHAR;
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.bytes);
      this.#bytes = larger;
    }
    return this.bytes + this.#bytes.write(name, this.bytes, 'utf8');
  }

  /** Finds the place of the text that was written last: its number's place, or the free one for it. */
  #find(hash: number, end: number): number {
    const mask = this.#places.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = this.#places[place] as number;
      if (number === FREE || (this.#hashes[number] === hash && this.#isLast(number, end))) return place;
    }
  }

  #isLast(number: number, end: number): boolean {
    const [bytes, from, start] = [this.#bytes, this.#startOf(number), this.bytes];
    if ((this.#ends[number] as number) - from !== end - start) return false;
    for (let at = start; at < end; at++) if (bytes[at] !== bytes[from + at - start]) return false;
    return true;
  }

  #grow(): void {
    this.#ends = doubled(this.#ends);
    this.#hashes = doubled(this.#hashes);
    this.#places = new Int32Array(2 * this.#places.length).fill(FREE);
    const mask = this.#places.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let place = (this.#hashes[number] as number) & mask;
      while (this.#places[place] !== FREE) place = (place + 1) & mask;
      this.#places[place] = number;
    }
  }
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
