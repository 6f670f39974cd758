import type { ProfileMemory } from './chunk-memory.ts';

const FIRST_PROFILES = 8;
const FREE = -1;

/**
 * A table of profiles by MPID. A Map of bigints costs four times as much and needs a bigint for each MPID that the store names;
 * here the received bytes suffice.
 */
export class ProfileTable {
  readonly #profiles: ProfileMemory[] = [];
  /** Two halves of each MPID, the upper one first. */
  #halves = new Int32Array(2 * FIRST_PROFILES);
  /** Indexes of profiles, each at its hash or, where that place is taken, at the next free one. Half of all places are free. */
  #places = new Int32Array(2 * FIRST_PROFILES).fill(FREE);

  get size(): number {
    return this.#profiles.length;
  }

  values(): readonly ProfileMemory[] {
    return this.#profiles;
  }

  get(mpid: bigint): ProfileMemory | undefined {
    return this.#profiles[this.#places[this.#find(upperOf(mpid), lowerOf(mpid))] as number];
  }

  /** Returns the profile, and creates it if it is missing. */
  meet(mpid: bigint, make: (mpid: bigint) => ProfileMemory): ProfileMemory {
    const [upper, lower] = [upperOf(mpid), lowerOf(mpid)];
    const place = this.#find(upper, lower);
    return this.#profiles[this.#places[place] as number] ?? this.#add(make(mpid), { place, upper, lower });
  }

  /** Returns the profile of the MPID whose eight bytes begin at `from`, as `meet` does. */
  meetAt(bytes: Buffer, from: number, make: (mpid: bigint) => ProfileMemory): ProfileMemory {
    const [upper, lower] = [bytes.readInt32BE(from), bytes.readInt32BE(from + 4)];
    const place = this.#find(upper, lower);
    const known = this.#profiles[this.#places[place] as number];
    return known ?? this.#add(make(bytes.readBigInt64BE(from)), { place, upper, lower });
  }

  /** Returns the place of the MPID's profile, or the place where it would be added. */
  #find(upper: number, lower: number): number {
    const [halves, places] = [this.#halves, this.#places];
    const mask = places.length - 1;
    for (let place = hashOf(upper, lower) & mask; ; place = (place + 1) & mask) {
      const index = places[place] as number;
      if (index === FREE || (halves[2 * index + 1] === lower && halves[2 * index] === upper)) return place;
    }
  }

  #add(profile: ProfileMemory, { place, upper, lower }: NewPlace): ProfileMemory {
    const index = this.#profiles.push(profile) - 1;
    this.#places[place] = index;
    this.#halves[2 * index] = upper;
    this.#halves[2 * index + 1] = lower;
    if (this.#profiles.length * 2 === this.#places.length) this.#grow();
    return profile;
  }

  #grow(): void {
    const halves = new Int32Array(2 * this.#halves.length);
    halves.set(this.#halves);
    this.#halves = halves;
    this.#places = new Int32Array(2 * this.#places.length).fill(FREE);
    for (let index = 0; index < this.#profiles.length; index++) {
      const place = this.#find(halves[2 * index] as number, halves[2 * index + 1] as number);
      this.#places[place] = index;
    }
  }
}

interface NewPlace {
  readonly place: number;
  readonly upper: number;
  readonly lower: number;
}

/** Mixes the bits of an MPID. MPIDs of a store may follow each other; multiplication spreads them. */
function hashOf(upper: number, lower: number): number {
  const mixed = Math.imul(lower ^ Math.imul(upper, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

const upperOf = (mpid: bigint): number => Number(BigInt.asIntN(32, mpid >> 32n));
const lowerOf = (mpid: bigint): number => Number(BigInt.asIntN(32, mpid));
