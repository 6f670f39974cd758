// The rules of resolution (D-042, D-043) once more, one person at a time over plain maps: what the set-based
// delivery must agree with, under each strategy.
import {
  DEFAULT_POLICY,
  type Identity,
  isDeviceId,
  type Person,
  type PersonFailure,
  type ResolutionPolicy,
  type ResolutionScope,
} from '../../../src/identity/index.ts';

interface ModelProfile {
  readonly number: number;
  readonly identities: Set<string>;
  /** Those that only public keys brought. */
  readonly marked: Set<string>;
  readonly attributes: Map<string, { readonly value: string | null; readonly setAt: bigint }>;
  readonly source: number | null;
}

/** What a person comes to. Profiles have numbers in the order in which they were made. */
export interface ModelOutcome {
  readonly number: number;
  readonly isCreated: boolean;
  readonly isLoggedIn: boolean;
  /** Names of the person's identities that the profile held before. */
  readonly matched: readonly string[];
}

/** A person and the profile that its MPID means: the number of one of the model's, or null for an MPID that does not exist. */
export interface ModelledPerson {
  readonly person: Person;
  readonly known?: number | null;
}

/** Identities that are equal have one name. */
export const nameOf = ({ type, value }: Identity): string =>
  `${type}=${type === 'email' ? value.toLowerCase() : value}`;

const NO_REQUEST = { isLogout: false, isReadOnly: false };

type Policy = Pick<ResolutionPolicy, 'strategy' | 'priority' | 'loginTypes'>;

export class PeopleModel {
  readonly profiles: ModelProfile[] = [];
  readonly #policy: Policy;
  /** Under which who carries a login identity is no anonymous profile. */
  readonly #keepsApart: boolean;
  /** Whether it is a public key that asks. */
  #isPublic = false;

  constructor(policy: Policy = DEFAULT_POLICY) {
    this.#policy = policy;
    this.#keepsApart = policy.strategy === 'profile_link' || policy.strategy === 'profile_isolation';
  }

  /** `known` is the profile an MPID means, `null` an unknown MPID. */
  deliver(person: Person, mode: ResolutionScope['mode'], known?: number | null): ModelOutcome | PersonFailure['rule'] {
    const { isLogout, isReadOnly } = person.request ?? NO_REQUEST;
    this.#isPublic = person.isPublic ?? false;
    const names = person.identities.map(nameOf);
    const found = isLogout ? this.#deviceProfile(names) : this.#find(names, known);
    if (typeof found === 'string') return found;
    if (found === undefined && isReadOnly) return 'nobody_found';
    const matched = names.filter((name) => found !== undefined && this.#isFoundBy(found, name));
    const profile = found ?? this.#create(isLogout ? null : this.#sourceOf(names));
    if (!isReadOnly) this.#change(profile, person, mode);
    const isLoggedIn = names.some((name) => this.isLogin(name) && profile.identities.has(name));
    return { number: profile.number, isCreated: found === undefined, isLoggedIn, matched };
  }

  #change(profile: ModelProfile, person: Person, mode: ResolutionScope['mode']): void {
    const { isLogout } = person.request ?? NO_REQUEST;
    for (const name of person.identities.map(nameOf)) {
      if (!this.#isPublic || this.isLogin(name)) profile.marked.delete(name);
      else if (!profile.identities.has(name)) profile.marked.add(name);
      if (this.#mayJoin(name, isLogout)) profile.identities.add(name);
    }
    this.#merge(profile, person, mode);
  }

  /** Whether only public keys may find the profile by an identity that it holds. */
  isUnverified(profile: ModelProfile, name: string): boolean {
    return profile.marked.has(name) && !this.#isAnonymous(profile);
  }

  #isFoundBy(profile: ModelProfile, name: string): boolean {
    return profile.identities.has(name) && (this.#isPublic || !this.isUnverified(profile, name));
  }

  readonly isLogin = (name: string): boolean => this.#policy.loginTypes.some((type) => name.startsWith(`${type}=`));

  #mayJoin(name: string, isLogout: boolean): boolean {
    return !this.isLogin(name) || (!isLogout && this.#holders(name).length === 0);
  }

  #find(names: readonly string[], known: number | null | undefined) {
    if (typeof known === 'number') {
      const profile = this.profiles[known];
      if (profile !== undefined) return this.#contradicts(profile, names) ? 'mpid_contradicts_login' : profile;
    }
    if (this.#inOrder(names).length === 0) return known === undefined ? 'identity_missing' : 'mpid_unknown';
    const mayBe = this.#admitted(names);
    return this.#policy.strategy === 'best_match' ? this.#bestMatch(names, mayBe) : this.#walk(names, mayBe);
  }

  /** A login identity of the person is another profile's; or none is this one's, which holds another. */
  #contradicts(profile: ModelProfile, names: readonly string[]): boolean {
    const logins = names.filter(this.isLogin);
    const owners = logins.flatMap((name) => this.#holders(name));
    if (owners.length > 0) return owners.some((owner) => owner !== profile);
    return logins.length > 0 && !this.#isAnonymous(profile);
  }

  /** Whom the person may be: a profile with a login identity only by that login identity, an anonymous one if not kept apart. */
  #admitted(names: readonly string[]): (profile: ModelProfile) => boolean {
    const carriesLogin = names.some(this.isLogin);
    return ({ identities }) => {
      const logins = [...identities].filter(this.isLogin);
      return logins.length > 0 ? logins.some((login) => names.includes(login)) : !(this.#keepsApart && carriesLogin);
    };
  }

  readonly #isAnonymous = ({ identities }: ModelProfile): boolean => ![...identities].some(this.isLogin);

  #deviceProfile(names: readonly string[]): ModelProfile | undefined {
    if (this.#policy.strategy !== 'profile_isolation') return undefined;
    const ofDevices = names.filter((name) => !this.isLogin(name) && isDeviceId(name.split('=')[0] as Identity['type']));
    return this.#walk(ofDevices, this.#isAnonymous);
  }

  #sourceOf(names: readonly string[]): number | null {
    if (this.#policy.strategy !== 'profile_link' || !names.some(this.isLogin)) return null;
    return this.#walk(names, this.#isAnonymous)?.number ?? null;
  }

  #inOrder(names: readonly string[]): string[] {
    return this.#policy.priority.flatMap((type) => names.filter((name) => name.startsWith(`${type}=`)));
  }

  #walk(names: readonly string[], mayBe: (profile: ModelProfile) => boolean, among = this.profiles) {
    let candidates: ModelProfile[] = [];
    for (const name of this.#inOrder(names)) {
      const matches = among.filter((profile) => this.#isFoundBy(profile, name) && mayBe(profile));
      const both = candidates.length === 0 ? matches : candidates.filter((profile) => matches.includes(profile));
      if (both.length > 0) candidates = both;
    }
    return candidates.toSorted((left, right) => left.number - right.number)[0];
  }

  #bestMatch(names: readonly string[], mayBe: (profile: ModelProfile) => boolean): ModelProfile | undefined {
    const listed = this.#inOrder(names);
    const countOf = (profile: ModelProfile) => listed.filter((name) => this.#isFoundBy(profile, name)).length;
    const matches = this.profiles.filter((profile) => mayBe(profile) && countOf(profile) > 0);
    const most = Math.max(...matches.map(countOf));
    return this.#walk(
      names,
      mayBe,
      matches.filter((profile) => countOf(profile) === most),
    );
  }

  #holders(name: string): ModelProfile[] {
    return this.profiles.filter(({ identities }) => identities.has(name));
  }

  #create(source: number | null): ModelProfile {
    const number = this.profiles.length;
    const profile = { number, identities: new Set<string>(), marked: new Set<string>(), attributes: new Map(), source };
    this.profiles.push(profile);
    return profile;
  }

  #merge({ attributes }: ModelProfile, person: Person, mode: ResolutionScope['mode']): void {
    for (const [i, name] of person.attributes.names.entries()) {
      const value = person.attributes.texts[i];
      if (value === undefined) continue;
      const before = attributes.get(name);
      if (mode === 'full' && before?.value === value) continue;
      if (before === undefined || before.setAt <= person.setAt) attributes.set(name, { value, setAt: person.setAt });
    }
  }
}
