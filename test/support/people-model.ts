// The rules of resolution (rulings §2 and §3) once more, one person at a time over plain maps: what the set-based
// delivery must agree with.
import { DEFAULT_POLICY, type Identity, type Person, type ResolutionScope } from '../../src/identity/index.ts';

interface ModelProfile {
  readonly number: number;
  readonly identities: Set<string>;
  readonly attributes: Map<string, { readonly value: string | null; readonly setAt: bigint }>;
}

const nameOf = ({ type, value }: Identity): string => `${type}=${type === 'email' ? value.toLowerCase() : value}`;
const isLogin = (name: string): boolean => name.startsWith('customer_id=');

export class PeopleModel {
  readonly profiles: ModelProfile[] = [];

  /** Number of the person's profile, or the rule that fails. `known` is the profile an MPID means, `null` an unknown MPID. */
  deliver(person: Person, mode: ResolutionScope['mode'], known?: number | null): number | string {
    const names = person.identities.map(nameOf);
    const profile = this.#resolve(names, known);
    if (typeof profile === 'string') return profile;
    for (const name of names) if (!isLogin(name) || this.#holders(name).length === 0) profile.identities.add(name);
    this.#merge(profile, person, mode);
    return profile.number;
  }

  #resolve(names: readonly string[], known: number | null | undefined): ModelProfile | string {
    if (typeof known === 'number') {
      const profile = this.profiles[known];
      const others = names.filter(isLogin).flatMap((name) => this.#holders(name));
      if (profile !== undefined) return others.every((other) => other === profile) ? profile : 'mpid_contradicts_login';
    }
    if (names.length === 0) return known === undefined ? 'identity_missing' : 'mpid_unknown';
    return this.#walk(names) ?? this.#create();
  }

  #walk(names: readonly string[]): ModelProfile | undefined {
    let candidates: ModelProfile[] = [];
    for (const type of DEFAULT_POLICY.priority) {
      for (const name of names.filter((each) => each.startsWith(`${type}=`))) {
        const matches = this.#holders(name).filter((profile) => {
          const logins = [...profile.identities].filter(isLogin);
          return logins.length === 0 || logins.some((login) => names.includes(login));
        });
        const both = candidates.length === 0 ? matches : candidates.filter((profile) => matches.includes(profile));
        if (both.length > 0) candidates = both;
      }
    }
    return candidates.toSorted((left, right) => left.number - right.number)[0];
  }

  #holders(name: string): ModelProfile[] {
    return this.profiles.filter(({ identities }) => identities.has(name));
  }

  #create(): ModelProfile {
    const profile = { number: this.profiles.length, identities: new Set<string>(), attributes: new Map() };
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
