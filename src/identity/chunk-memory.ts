// What one chunk knows while it is resolved: the profiles it met or made, and who owns which key. Everything here changes
// in row order, so that a profile made by one row is found by the next.
import type { Identity } from './contract.ts';
import { NO_ATTRIBUTES } from './merge-attributes.ts';

/** A profile as it was read and as this chunk leaves it. */
export interface ProfileMemory {
  readonly mpid: bigint;
  readonly isNew: boolean;
  /** As read; undefined: not read, or not there. */
  version: number | undefined;
  holdsLogin: boolean;
  /** Hash of the row that a full sync merged last. */
  rowHash: string | null;
  /** Undefined: not read, because so far nobody needs them. */
  attributes: string | undefined;
  times: string | undefined;
  /** Whether attributes, times or hash differ from what is stored. */
  isChanged: boolean;
  /** Identities that this chunk adds, the newest last. */
  added: Identity[] | undefined;
  /** What all its rows answer. */
  readonly outcome: { readonly mpid: bigint };
}

/** Profiles by slot; a slot may be free. */
export type Owners = (ProfileMemory | undefined)[];

/** Identities that are new on a profile. Slots are smallint. */
const SLOTS = 2 ** 15;

export interface Link {
  readonly ordinal: number;
  readonly slot: number;
}

export class ChunkMemory {
  readonly profiles = new Map<bigint, ProfileMemory>();
  readonly created: ProfileMemory[] = [];
  readonly #owners: (Owners | undefined)[];
  /** `ordinal * SLOTS + slot`: numbers sort fast. */
  readonly #links: number[] = [];

  constructor(keyCount: number) {
    this.#owners = new Array<Owners | undefined>(keyCount).fill(undefined);
  }

  /** Owners of a key, by ordinal. */
  owners(ordinal: number): Owners | undefined {
    return this.#owners[ordinal];
  }

  /** A profile that the store named; its row is read later. */
  meet(mpid: bigint): ProfileMemory {
    const known = this.profiles.get(mpid);
    if (known !== undefined) return known;
    const profile = {
      mpid,
      isNew: false,
      version: undefined,
      holdsLogin: false,
      rowHash: null,
      attributes: undefined,
      times: undefined,
      isChanged: false,
      added: undefined,
      outcome: { mpid },
    };
    this.profiles.set(mpid, profile);
    return profile;
  }

  create(mpid: bigint): ProfileMemory {
    const profile = {
      mpid,
      isNew: true,
      version: 1,
      holdsLogin: false,
      rowHash: null,
      attributes: NO_ATTRIBUTES.attributes,
      times: NO_ATTRIBUTES.times,
      isChanged: true,
      added: undefined,
      outcome: { mpid },
    };
    this.profiles.set(mpid, profile);
    this.created.push(profile);
    return profile;
  }

  own({ ordinal, slot }: Link, profile: ProfileMemory): void {
    const owners = this.#owners[ordinal];
    if (owners === undefined && slot === 0) this.#owners[ordinal] = [profile];
    else {
      const slots = owners ?? [];
      while (slots.length < slot) slots.push(undefined);
      slots[slot] = profile;
      this.#owners[ordinal] = slots;
    }
  }

  /** As `own`, for an identity that the store does not hold yet. */
  link(link: Link, profile: ProfileMemory, identity: Identity): void {
    this.own(link, profile);
    this.#links.push(link.ordinal * SLOTS + link.slot);
    profile.added ??= [];
    profile.added.push(identity);
  }

  /** New links in key order: everything that writes identities does so in that order. */
  sortedLinks(): Float64Array {
    return Float64Array.from(this.#links).sort();
  }

  static linkOf(number: number): Link {
    return { ordinal: Math.floor(number / SLOTS), slot: number % SLOTS };
  }
}

export const MOST_SLOTS = SLOTS;
