import { expect } from 'vitest';
import {
  ENVIRONMENT_NUMBER,
  type Identity,
  type PersonOutcome,
  type Profile,
  type ResolutionScope,
  readProfile,
} from '../../../src/identity/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliverWith, testIdentities } from './deliver-people.ts';
import { type ModelledPerson, type ModelOutcome, nameOf, PeopleModel } from './people-model.ts';

/** What an outcome says in the model's terms; `numberOf` says which profile an MPID is. */
export function asModelled(outcome: PersonOutcome, numberOf: (mpid: bigint) => number | undefined): unknown {
  if (!('mpid' in outcome)) return 'erased' in outcome ? 'erased' : outcome.rule;
  const number = numberOf(outcome.mpid);
  if (outcome.answer === undefined) return { number };
  const { matched, ...answer } = outcome.answer;
  return { number, ...answer, matched: matched.map(nameOf) };
}

/** Model and store side by side; MPIDs and model numbers must map one to one. */
export class SideBySide {
  readonly model: PeopleModel;
  /** By number. */
  readonly mpids: bigint[] = [];
  readonly store: Store;
  readonly scope: ResolutionScope;

  constructor(store: Store, scope: ResolutionScope) {
    this.model = new PeopleModel(scope.policy);
    this.store = store;
    this.scope = scope;
  }

  /** Delivers a chunk to both; what it comes to must be the same. `stranger` is an MPID that the scope does not have. */
  async deliver(
    chunk: readonly ModelledPerson[],
    mode: ResolutionScope['mode'],
    stranger: bigint = -1n,
  ): Promise<void> {
    // an MPID of this chunk is not known yet
    const given = chunk.map((each) => ((each.known ?? -1) < this.mpids.length ? each : { ...each, known: null }));
    const expected = given.map(({ person, known }) => this.model.deliver(person, mode, known));
    const people = given.map(({ person, known }) => {
      if (known === undefined) return person;
      return { ...person, mpid: (known === null ? undefined : this.mpids[known]) ?? stranger };
    });
    // half of the chunks go through staging tables, as large ones do
    const identities = testIdentities(people.length % 2 === 0 ? {} : { smallChunkPeople: 0 });
    const { outcomes } = await deliverWith(identities, this.store, { people, scope: { ...this.scope, mode } });
    for (const [i, outcome] of outcomes.entries()) this.#compareOutcome(outcome, expected[i]);
    expect(new Set(this.mpids).size).toBe(this.mpids.length);
  }

  #compareOutcome(outcome: PersonOutcome, expected: ModelOutcome | string | undefined): void {
    if (typeof expected === 'object' && 'mpid' in outcome && expected.number === this.mpids.length) {
      this.mpids.push(outcome.mpid);
    }
    const told = asModelled(outcome, (mpid) => this.mpids.indexOf(mpid));
    // a row or batch is told the MPID only
    if (typeof expected === 'object' && 'mpid' in outcome && outcome.answer === undefined) {
      expect(told).toEqual({ number: expected.number });
    } else expect(told).toEqual(expected);
  }

  /** Compares all that is stored. */
  async compare(): Promise<void> {
    expect(await storedPeople(this.store, this.scope, this.mpids)).toEqual(modelledPeople(this.model, this.mpids));
    for (const identity of this.#identities()) {
      const found = await testIdentities().findProfiles(this.store, this.scope, identity);
      const name = nameOf(identity);
      const holders = this.model.profiles.filter((profile) => {
        return profile.identities.has(name) && !this.model.isUnverified(profile, name);
      });
      expect([name, new Set(found.map(({ mpid }) => mpid))]).toEqual([
        name,
        new Set(holders.map(({ number }) => this.mpids[number])),
      ]);
    }
  }

  #identities(): readonly Identity[] {
    const names = new Set(this.model.profiles.flatMap(({ identities }) => [...identities]));
    return Array.from(names, (name) => {
      const [type, value] = name.split('=') as [Identity['type'], string];
      return { type, value };
    });
  }
}

/** A profile in full, with what the index of identities says of it. */
interface Stored {
  readonly mpid: bigint;
  readonly identities: readonly string[];
  readonly owns: number;
  readonly holdsLogin: boolean;
  readonly source: bigint | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const inOrder = (people: readonly Stored[]) =>
  people.toSorted((left, right) => (left.mpid < right.mpid ? -1 : Number(left.mpid > right.mpid)));

export async function storedPeople(store: Store, scope: ResolutionScope, mpids: readonly bigint[]): Promise<Stored[]> {
  const owned = await store.query<{ mpid: bigint; links: bigint }>(
    `SELECT i.mpid, count(*) AS links FROM profile_identities i
     LEFT JOIN profiles p ON p.workspace_id = $1 AND p.mpid = i.mpid
     WHERE i.workspace_id = $1 AND coalesce(p.environment, $2) = $2 GROUP BY i.mpid`,
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment]],
  );
  const links = new Map(owned.map((row) => [row.mpid, Number(row.links)]));
  // what belongs to none of them shows as a profile too
  const all = [...new Set([...mpids, ...links.keys()])];
  const found = all.map(async (mpid): Promise<Stored> => {
    const { identities, attributes, holdsLogin, sourceMpid } = (await readProfile(store, scope, mpid)) as Profile;
    return {
      ...{ mpid, holdsLogin, source: sourceMpid, owns: links.get(mpid) ?? 0 },
      identities: identities.map((held) => `${nameOf(held)}${held.isUnverified ? ' ?' : ''}`).sort(),
      attributes: Object.fromEntries(attributes.map(({ name, value, setAt }) => [`-${name}`, { value, setAt }])),
    };
  });
  return inOrder(await Promise.all(found));
}

/** What the model says that `storedPeople` should find. */
export function modelledPeople(model: PeopleModel, mpids: readonly bigint[]): Stored[] {
  const expected = model.profiles.map((profile): Stored => {
    const { number, identities, attributes, source } = profile;
    const shown = (name: string) => `${name}${model.isUnverified(profile, name) ? ' ?' : ''}`;
    const held = [...attributes].filter(([, { value }]) => value !== null);
    return {
      ...{ mpid: mpids[number] as bigint, owns: identities.size, identities: [...identities].map(shown).sort() },
      holdsLogin: [...identities].some(model.isLogin),
      source: source === null ? null : (mpids[source] as bigint),
      attributes: Object.fromEntries(held.map(([name, said]) => [`-${name}`, said])),
    };
  });
  return inOrder(expected);
}
