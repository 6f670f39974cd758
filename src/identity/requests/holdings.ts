// The holders of identities, for the profiles and keys that a group of modify requests names: first as read, then as each
// request leaves them. Pure.
import { AppError } from '../../kernel/index.ts';
import type { Identity, ModifyOutcome, ProfileModification } from '../contract.ts';
import type { ListedIdentity } from '../identity-text.ts';
import { matchingForm } from '../normalise-identity.ts';
import { tooManyIdentities } from '../profiles/identity-bounds.ts';
import { lostRace } from '../profiles/read-profiles.ts';
import { MOST_OWNERS } from '../resolve/add-identities.ts';

/** An identity with its key as 16 characters, one a byte. */
export interface KeyedIdentity extends Identity {
  readonly key: string;
}

/** `ProfileModification` with the keys of its identities. */
export interface KeyedModification extends Omit<ProfileModification, 'changes'> {
  readonly changes: readonly { readonly from: KeyedIdentity | undefined; readonly to: KeyedIdentity | undefined }[];
}

export interface HeldProfile {
  readonly mpid: bigint;
  readonly version: number;
  /** The newest first. */
  readonly identities: readonly ListedIdentity[];
  /** Identities that the profile gave up, the latest first. */
  readonly former: readonly ListedIdentity[];
}

export interface HeldSlot {
  readonly key: string;
  readonly slot: number;
  readonly mpid: bigint;
  /** The identity came from public keys alone. */
  readonly isPublic: boolean;
}

interface Owner {
  readonly mpid: bigint;
  readonly isPublic: boolean;
}

/** The owners of a key by slot; undefined for a free slot. */
type Owners = readonly (Owner | undefined)[];

export class Holdings {
  readonly #loginTypes: readonly Identity['type'][];
  readonly #mostIdentities: number;
  readonly #erased: ReadonlySet<string>;
  readonly #profiles = new Map<bigint, HeldProfile>();
  readonly #changed = new Set<bigint>();
  readonly #before = new Map<string, Owners>();
  readonly #owners = new Map<string, Owners>();

  constructor(read: {
    readonly loginTypes: readonly Identity['type'][];
    readonly mostIdentities: number;
    readonly profiles: readonly HeldProfile[];
    readonly slots: readonly HeldSlot[];
    /** Keys of erased people. */
    readonly erased: ReadonlySet<string>;
  }) {
    this.#loginTypes = read.loginTypes;
    this.#mostIdentities = read.mostIdentities;
    this.#erased = read.erased;
    for (const profile of read.profiles) this.#profiles.set(profile.mpid, profile);
    for (const { key, slot, ...owner } of read.slots) {
      this.#owners.set(key, withSlot(this.#ownersOf(key), slot, owner));
    }
    for (const [key, owners] of this.#owners) this.#before.set(key, owners);
  }

  /** Applies all changes of a request, or none and returns why. An erased identity may be removed: nothing is kept of it. */
  modify({ mpid, changes, isPublic }: KeyedModification): ModifyOutcome {
    const before = this.#profiles.get(mpid);
    // a public key gets the same answer for a missing MPID as for a protected profile: neither tells whether the profile exists
    if (isPublic && (before === undefined || this.holdsLogin(before))) return notAnonymous();
    if (before === undefined) return unknown(mpid);
    return this.#bringsBack(changes) ? { erased: true } : this.#change(before, changes, isPublic);
  }

  #bringsBack(changes: KeyedModification['changes']): boolean {
    return changes.some(({ to }) => to !== undefined && this.#erased.has(to.key));
  }

  #change(before: HeldProfile, changes: KeyedModification['changes'], isPublic: boolean): AppError | undefined {
    const draft = new Draft(before, (key) => this.#ownersOf(key));
    for (const [index, { from, to }] of changes.entries()) {
      if (from !== undefined) draft.remove(from);
      if (to === undefined) continue;
      const problem = draft.former.length > MOST_FORMER ? RESTLESS : draft.add(to, this.#bringing(to, isPublic));
      if (problem !== undefined) return refusal(problem, index);
    }
    if (draft.identities === before.identities) return undefined;
    const wrong = this.#refuseResult(changes, before, draft);
    if (wrong !== undefined) return wrong;
    for (const [key, owners] of draft.owners) this.#owners.set(key, owners);
    this.#profiles.set(before.mpid, { ...before, identities: draft.identities, former: draft.former });
    this.#changed.add(before.mpid);
    return undefined;
  }

  /** Checks the result after all changes: a request may add the new value before it removes the old one. */
  #refuseResult(changes: KeyedModification['changes'], before: HeldProfile, draft: Draft): AppError | undefined {
    const second = changes.findIndex(({ to }) => to !== undefined && this.#isSecondLogin(to, before, draft));
    if (second >= 0) return refusal(SECOND, second);
    const count = draft.identities.length;
    if (count <= Math.max(this.#mostIdentities, before.identities.length)) return undefined;
    const message = `is one too many: the profile ${tooManyIdentities(count, this.#mostIdentities)}`;
    return refusal(
      { code: 'VALIDATION_FAILED', message },
      changes.findLastIndex(({ to }) => to !== undefined),
    );
  }

  #isSecondLogin(added: Identity, before: HeldProfile, { identities }: Draft): boolean {
    if (!this.#loginTypes.includes(added.type) || before.identities.some((held) => isSame(held, added))) return false;
    return identities.filter(({ type }) => type === added.type).length > 1;
  }

  /** Returns how an identity is brought. A login identity never counts as public: it says whose the profile is. */
  #bringing({ type }: Identity, isPublic: boolean): Bringing {
    const isLogin = this.#loginTypes.includes(type);
    return { isLogin, isPublic: isPublic && !isLogin };
  }

  holdsLogin({ identities }: HeldProfile): boolean {
    return identities.some(({ type }) => this.#loginTypes.includes(type));
  }

  /** Returns the changed profiles in order of MPID. */
  changedProfiles(): readonly HeldProfile[] {
    return [...BigInt64Array.from(this.#changed).sort()].flatMap((mpid) => this.#profiles.get(mpid) ?? []);
  }

  /**
   * Returns the slots to free and to take, in order of key and slot. Where an owner went, the next profile becomes the owner.
   */
  changedSlots(): { readonly freed: readonly HeldSlot[]; readonly taken: readonly HeldSlot[] } {
    const keys = [...this.#owners.keys()].sort();
    const changes = keys.map((key) => {
      return { key, before: this.#before.get(key) ?? NOBODY, after: withOwner(this.#ownersOf(key)) };
    });
    return {
      freed: changes.flatMap(({ key, before, after }) => slotsOnlyIn(before, after, key)),
      taken: changes.flatMap(({ key, before, after }) => slotsOnlyIn(after, before, key)),
    };
  }

  #ownersOf(key: string): Owners {
    return this.#owners.get(key) ?? NOBODY;
  }
}

const NOBODY: Owners = [];

interface Bringing {
  readonly isLogin: boolean;
  readonly isPublic: boolean;
}

/** The state of one request while its changes are tried. */
class Draft {
  identities: readonly ListedIdentity[];
  former: readonly ListedIdentity[];
  readonly owners = new Map<string, Owners>();
  readonly #mpid: bigint;
  readonly #ownersOf: (key: string) => Owners;

  constructor({ mpid, identities, former }: HeldProfile, ownersOf: (key: string) => Owners) {
    this.#mpid = mpid;
    this.identities = identities;
    this.former = former;
    this.#ownersOf = (key) => this.owners.get(key) ?? ownersOf(key);
  }

  /**
   * Removes an identity. An identity that the profile does not hold is no error, so a request that is sent again succeeds
   * again.
   */
  remove(identity: KeyedIdentity): void {
    const slot = this.#slotOf(identity);
    if (slot < 0) return;
    this.owners.set(identity.key, withSlot(this.#ownersOf(identity.key), slot, undefined));
    const given = this.identities.filter((held) => isSame(held, identity));
    this.identities = this.identities.filter((held) => !isSame(held, identity));
    this.former = [...given, ...this.former.filter((former) => !isSame(former, identity))];
  }

  /** Adds an identity. One that only public keys brought is removed first and added again, unmarked. */
  add(identity: KeyedIdentity, { isLogin, isPublic }: Bringing): Problem | undefined {
    const held = this.#ownersOf(identity.key)[this.#slotOf(identity)];
    if (held !== undefined && (isPublic || !held.isPublic)) return undefined;
    if (held !== undefined) this.remove(identity);
    const owners = this.#ownersOf(identity.key);
    const free = owners.indexOf(undefined);
    const slot = free < 0 ? owners.length : free;
    if (isLogin && slot > 0) return TAKEN;
    const others = isPublic ? slot : slot - owners.filter((owner) => owner?.isPublic).length;
    if (others >= MOST_OWNERS) return CROWDED;
    this.owners.set(identity.key, withSlot(owners, slot, { mpid: this.#mpid, isPublic }));
    const { type, value } = identity;
    this.identities = [{ type, value, isPublic }, ...this.identities];
    this.former = this.former.filter((former) => !isSame(former, identity));
    return undefined;
  }

  /**
   * Returns the slot in which the profile holds the identity, or −1 where it holds none. Profile and slots were read one after
   * the other: where they differ, both are stale.
   */
  #slotOf(identity: KeyedIdentity): number {
    const slot = this.#ownersOf(identity.key).findIndex((owner) => owner?.mpid === this.#mpid);
    if (slot >= 0 !== this.identities.some((held) => isSame(held, identity))) throw lostRace('a profile');
    return slot;
  }
}

function isSame(left: Identity, right: Identity): boolean {
  return left.type === right.type && matchingForm(left) === matchingForm(right);
}

function withSlot(owners: Owners, slot: number, owner: Owner | undefined): Owners {
  const changed = Array.from({ length: Math.max(owners.length, slot + 1) }, (_, at) => owners[at]);
  changed[slot] = owner;
  return changed;
}

function slotsOnlyIn(owners: Owners, others: Owners, key: string): readonly HeldSlot[] {
  return owners.flatMap((owner, slot) => {
    const other = others[slot];
    const isThere = owner?.mpid === other?.mpid && owner?.isPublic === other?.isPublic;
    return owner === undefined || isThere ? [] : { key, slot, ...owner };
  });
}

/** Gives slot 0 to the holder of the lowest other slot. */
function withOwner(owners: Owners): Owners {
  const next = owners.findIndex((owner) => owner !== undefined);
  return next > 0 ? withSlot(withSlot(owners, 0, owners[next]), next, undefined) : owners;
}

interface Problem {
  readonly code: 'IDENTITY_CONFLICT' | 'VALIDATION_FAILED';
  readonly message: string;
}

const TAKEN: Problem = {
  code: 'IDENTITY_CONFLICT',
  message: 'is the login identity of another profile; remove it from that profile first.',
};
const SECOND: Problem = {
  code: 'IDENTITY_CONFLICT',
  message: 'is a second login identity, but a profile can have only one; send the current one as old_value.',
};
/**
 * Most former identities of a profile, which are kept so that its person can be erased by them. Beyond this many the profile
 * gains no identity, but may still give up what it holds.
 */
const MOST_FORMER = 1_000;
const RESTLESS: Problem = {
  code: 'VALIDATION_FAILED',
  message: `would be the next change after ${MOST_FORMER} former identities of the profile, the maximum; create a new profile.`,
};
const CROWDED: Problem = {
  code: 'VALIDATION_FAILED',
  message: `already belongs to ${MOST_OWNERS} profiles, the maximum; remove it from one of them first.`,
};

function refusal({ code, message }: Problem, index: number): AppError {
  const path = `identity_changes[${index}].new_value`;
  return new AppError(code, `${path}: ${message}`, { issues: [{ path, message }] });
}

function unknown(mpid: bigint): AppError {
  return new AppError('NOT_FOUND', `The MPID ${mpid} does not exist in this environment.`);
}

function notAnonymous(): AppError {
  const message = 'A key alone cannot change a profile with a login identity; sign the request, or send the secret.';
  return new AppError('FORBIDDEN', message);
}
