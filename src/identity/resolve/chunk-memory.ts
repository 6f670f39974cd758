// The state of one chunk while it is resolved: the profiles it met or created, and the owners of its keys. Everything here
// changes in row order, so that a profile created by one row is found by the next.
import { NO_ATTRIBUTES } from '../profiles/merge-attributes.ts';
import { ChunkTombstones } from '../tombstones/chunk-tombstones.ts';
import type { AgeOf } from './mpids.ts';
import { ProfileTable } from './profile-table.ts';

/** A profile as it was read and as this chunk leaves it. */
export interface ProfileMemory {
  readonly mpid: bigint;
  readonly isNew: boolean;
  /** Version as read; undefined where the profile was not read or does not exist. */
  version: number | undefined;
  holdsLogin: boolean;
  /** Hash of the row that a full sync merged last. */
  rowHash: string | null;
  /** Identities as stored: `[[type, value], …]` as JSON text. Undefined while they were not read, because nobody needs them. */
  identities: string | undefined;
  attributes: string | undefined;
  times: string | undefined;
  /** The part of the profile that the next read brings. */
  wanted: 'nothing' | 'header' | 'texts';
  /** A row hash: if the stored hash equals it, the next read leaves the texts out. */
  wantedUnless: string | null;
  /** Attributes, times or hash differ from what is stored. */
  isChanged: boolean;
  /** MPID of the anonymous profile that a new profile remembers. */
  source: bigint | null;
  /** Places of the identities that this chunk adds, the newest last. */
  added: readonly number[] | undefined;
}

/** Most slots of a key, whose column is a smallint. */
export const MOST_SLOTS = 2 ** 15;

export interface Link {
  readonly ordinal: number;
  readonly slot: number;
}

const NOBODY: readonly ProfileMemory[] = [];

interface ChunkSize {
  readonly keyCount: number;
  readonly peopleCount: number;
}

export class ChunkMemory {
  readonly tombstones = new ChunkTombstones();
  /** Stored profiles that this chunk met so far. */
  readonly profiles = new ProfileTable();
  readonly created: ProfileMemory[] = [];
  /** Owner in slot 0 by ordinal: the only one of most keys. */
  readonly #owners: (ProfileMemory | undefined)[];
  /** Owners in slot 1 and on, by ordinal; a slot may be free. */
  readonly #sharers = new Map<number, (ProfileMemory | undefined)[]>();
  /** New links as `ordinal * MOST_SLOTS + slot`: numbers sort fast. */
  readonly #links: number[] = [];
  /** Links that only public keys brought, in the form of `#links`; most chunks have none. */
  readonly #publicLinks = new Set<number>();
  /** Links that were public when read, and that another source now brings too. */
  readonly #verified: number[] = [];
  /**
   * Settled profiles by person: the owner of a login identity that decides alone and holds all the person's identities already.
   */
  readonly settled: (ProfileMemory | undefined)[];

  /** A function by which the older of two profiles is found. */
  readonly ageOf: AgeOf;

  constructor({ keyCount, peopleCount, ageOf }: ChunkSize & { readonly ageOf: AgeOf }) {
    this.ageOf = ageOf;
    this.#owners = new Array<ProfileMemory | undefined>(keyCount).fill(undefined);
    this.settled = new Array<ProfileMemory | undefined>(peopleCount).fill(undefined);
  }

  /** Returns the profile in slot 0. */
  owner(ordinal: number): ProfileMemory | undefined {
    return this.#owners[ordinal];
  }

  /** Returns the profiles in slot 1 and on; slot n stands at n − 1. */
  sharers(ordinal: number): readonly (ProfileMemory | undefined)[] {
    return this.#sharers.get(ordinal) ?? NOBODY;
  }

  holds(ordinal: number, profile: ProfileMemory): boolean {
    return this.#owners[ordinal] === profile || this.sharers(ordinal).includes(profile);
  }

  /** Tells whether only public keys brought the key to the profile. */
  isPublic(ordinal: number, profile: ProfileMemory): boolean {
    return this.#publicLinks.size > 0 && this.#publicLinks.has(this.#numberOf(ordinal, profile));
  }

  /** Tells whether only public keys may find the profile by the key. */
  isUnverified(ordinal: number, profile: ProfileMemory): boolean {
    return profile.holdsLogin && this.isPublic(ordinal, profile);
  }

  /** Counts the profiles to which only public keys brought the key. */
  publicCount(ordinal: number): number {
    if (this.#publicLinks.size === 0) return 0;
    const holders = [this.#owners[ordinal], ...this.sharers(ordinal)];
    return holders.filter((profile) => profile !== undefined && this.isPublic(ordinal, profile)).length;
  }

  /** Tells whether any profile holds the key through more than public keys. */
  isVouchedFor(ordinal: number): boolean {
    const holders = [this.#owners[ordinal], ...this.sharers(ordinal)];
    return holders.some((profile) => profile !== undefined && !this.isPublic(ordinal, profile));
  }

  #numberOf(ordinal: number, profile: ProfileMemory): number {
    const slot = this.#owners[ordinal] === profile ? 0 : 1 + this.sharers(ordinal).indexOf(profile);
    return ordinal * MOST_SLOTS + slot;
  }

  freeSlot(ordinal: number): number {
    if (this.#owners[ordinal] === undefined) return 0;
    const sharers = this.sharers(ordinal);
    const free = sharers.indexOf(undefined);
    return 1 + (free < 0 ? sharers.length : free);
  }

  /** Returns a profile that the store named; its row is read later. */
  meet(mpid: bigint): ProfileMemory {
    return this.profiles.meet(mpid, metProfile);
  }

  /** Returns the profile of the MPID whose eight bytes begin at `from`, as `meet` does. */
  meetAt(bytes: Buffer, from: number): ProfileMemory {
    return this.profiles.meetAt(bytes, from, metProfile);
  }

  create(mpid: bigint): ProfileMemory {
    const profile = memoryOf(mpid, true);
    this.created.push(profile);
    return profile;
  }

  own({ ordinal, slot }: Link, profile: ProfileMemory, isPublic = false): void {
    if (isPublic) this.#publicLinks.add(ordinal * MOST_SLOTS + slot);
    if (slot === 0) {
      this.#owners[ordinal] = profile;
      return;
    }
    const sharers = this.#sharers.get(ordinal) ?? [];
    while (sharers.length < slot - 1) sharers.push(undefined);
    sharers[slot - 1] = profile;
    this.#sharers.set(ordinal, sharers);
  }

  /** Makes the profile an owner, as `own` does, of an identity that the store does not hold yet. */
  link(link: Link, profile: ProfileMemory, { place, isPublic }: Bringing): void {
    this.own(link, profile, isPublic);
    this.#links.push(link.ordinal * MOST_SLOTS + link.slot);
    add(profile, place);
  }

  /**
   * Verifies an identity that so far only public keys brought: another source brings it too, so it is listed once more,
   * unmarked.
   */
  verify(ordinal: number, profile: ProfileMemory, place: number): void {
    const number = this.#numberOf(ordinal, profile);
    this.#publicLinks.delete(number);
    this.#verified.push(number);
    add(profile, place);
  }

  /** Returns the links verified by `verify`, in key order. */
  verifiedLinks(): Float64Array {
    return Float64Array.from(this.#verified).sort();
  }

  /** Returns the new links as numbers in key order. All writers of identities keep this order. */
  sortedLinks(): Float64Array {
    return Float64Array.from(this.#links).sort();
  }

  linkOf(number: number): Link & { readonly mpid: bigint; readonly isPublic: boolean } {
    const ordinal = Math.floor(number / MOST_SLOTS);
    const slot = number % MOST_SLOTS;
    const profile = slot === 0 ? this.owner(ordinal) : this.sharers(ordinal)[slot - 1];
    return { ordinal, slot, mpid: (profile as ProfileMemory).mpid, isPublic: this.#publicLinks.has(number) };
  }
}

interface Bringing {
  readonly place: number;
  readonly isPublic: boolean;
}

/** Adds a place by making a new array: one that grows reserves room for seventeen. */
function add(profile: ProfileMemory, place: number): void {
  profile.added = profile.added === undefined ? [place] : [...profile.added, place];
}

const metProfile = (mpid: bigint): ProfileMemory => memoryOf(mpid, false);

function memoryOf(mpid: bigint, isNew: boolean): ProfileMemory {
  return {
    mpid,
    isNew,
    version: isNew ? 1 : undefined,
    holdsLogin: false,
    rowHash: null,
    identities: undefined,
    attributes: isNew ? NO_ATTRIBUTES.attributes : undefined,
    times: isNew ? NO_ATTRIBUTES.times : undefined,
    wanted: 'nothing',
    wantedUnless: null,
    isChanged: isNew,
    source: null,
    added: undefined,
  };
}
