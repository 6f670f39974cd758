import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Person, Profile, ResolutionScope } from '../../src/identity/index.ts';
import { readProfile } from '../../src/identity/index.ts';
import { workspaceId } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { deliver, type Given, person, SCOPE } from '../support/deliver-people.ts';
import { PeopleModel } from '../support/people-model.ts';
import { openTestStore } from '../support/test-store.ts';

const optional = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 });

const row = fc.record({
  given: fc.record(
    {
      customer_id: optional('1', '2', '3'),
      email: optional('a@x', 'A@X', 'b@x', 'c@x'),
      other: optional('o1', 'o2'),
      mp_deviceid: optional('d1', 'd2'),
    },
    { requiredKeys: [] },
  ),
  attributes: fc.uniqueArray(fc.tuple(fc.constantFrom('p', 'q', '__proto__', ''), optional('1', '"x"', 'null')), {
    selector: ([name]) => name,
  }),
  setAt: fc.bigInt({ min: 1n, max: 5n }),
  /** Among the profiles that there are by then; `none` for an MPID that does not exist. */
  mpidOf: fc.option(fc.oneof(fc.nat({ max: 6 }), fc.constant('none' as const)), { nil: undefined, freq: 5 }),
});
type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;
const chunks = fc.array(
  fc.record({ rows: fc.array(row, { maxLength: 6 }), mode: fc.constantFrom('full' as const, 'incremental' as const) }),
  { maxLength: 5 },
);

function personOf({ given, attributes, setAt }: Row): Person {
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given;
  const names = attributes.map(([name]) => name);
  // 'null' stands for a removal
  const texts = attributes.map(([, text]) => (text === 'null' ? null : text));
  return { ...person(defined), attributes: { names, texts }, setAt };
}

/** Model and store side by side; MPIDs and model numbers must map one to one. */
class SideBySide {
  readonly model = new PeopleModel();
  readonly mpids = new Map<number, bigint>();
  readonly store: Store;
  readonly scope: ResolutionScope;

  constructor(store: Store, scope: ResolutionScope) {
    this.store = store;
    this.scope = scope;
  }

  async deliver(rows: readonly Row[], mode: ResolutionScope['mode']): Promise<void> {
    const known = rows.map(({ mpidOf }) => this.#known(mpidOf));
    const people = rows.map((each, i) => {
      const number = known[i];
      if (number === undefined) return personOf(each);
      return { ...personOf(each), mpid: (number === null ? undefined : this.mpids.get(number)) ?? -1n };
    });
    const expected = people.map((each, i) => this.model.deliver(each, mode, known[i]));
    const { outcomes } = await deliver(this.store, people, { ...this.scope, mode });
    for (const [i, outcome] of outcomes.entries()) {
      const number = expected[i];
      if (typeof number !== 'number' || !('mpid' in outcome)) {
        expect('rule' in outcome ? outcome.rule : outcome).toBe(number);
        continue;
      }
      if (!this.mpids.has(number)) this.mpids.set(number, outcome.mpid);
      expect(outcome.mpid).toBe(this.mpids.get(number));
    }
    expect(new Set(this.mpids.values()).size).toBe(this.mpids.size);
  }

  #known(mpidOf: Row['mpidOf']): number | null | undefined {
    if (mpidOf === undefined) return undefined;
    return typeof mpidOf === 'number' && this.mpids.has(mpidOf) ? mpidOf : null;
  }

  async compare(): Promise<void> {
    for (const [number, mpid] of this.mpids) {
      const profile = (await readProfile(this.store, this.scope, mpid)) as Profile;
      const { identities, attributes } = this.model.profiles[number] as PeopleModel['profiles'][number];
      const names = profile.identities.map(
        ({ type, value }) => `${type}=${type === 'email' ? value.toLowerCase() : value}`,
      );
      expect(new Set(names)).toEqual(identities);
      expect(profile.holdsLogin).toBe(names.some((name) => name.startsWith('customer_id=')));
      expect(new Map(profile.attributes.map(({ name, value, setAt }) => [name, { value, setAt }]))).toEqual(
        new Map([...attributes].filter(([, { value }]) => value !== null)),
      );
    }
    const links = await this.store.query<{ mpid: bigint; links: bigint }>(
      'SELECT mpid, count(*) AS links FROM profile_identities WHERE workspace_id = $1 GROUP BY mpid',
      [this.scope.workspaceId],
    );
    expect(new Map(links.map(({ mpid, links }) => [mpid, Number(links)]))).toEqual(
      new Map([...this.mpids].map(([number, mpid]) => [mpid, this.model.profiles[number]?.identities.size])),
    );
  }
}

it('resolves and merges any sequence of chunks as one person at a time would', async () => {
  await using store = await openTestStore();
  let workspace = 100n;
  await fc.assert(
    fc.asyncProperty(chunks, async (sequence) => {
      const pair = new SideBySide(store, { ...SCOPE, workspaceId: workspaceId(workspace++) });
      for (const { rows, mode } of sequence) await pair.deliver(rows, mode);
      await pair.compare();
    }),
    { numRuns: 300 },
  );
}, 120_000);

it('gives the same attributes whatever the chunks and whatever the order of the times', async () => {
  await using store = await openTestStore();
  let workspace = 100_000n;
  const write = fc.record({
    values: row.map(({ attributes }) => attributes),
    setAt: fc.bigInt({ min: 1n, max: 1000n }),
  });
  const cases = fc
    .uniqueArray(write, { selector: ({ setAt }) => setAt, maxLength: 8 })
    .chain((writes) =>
      fc.tuple(fc.constant(writes), fc.shuffledSubarray(writes, { minLength: writes.length }), fc.nat(8)),
    );
  await fc.assert(
    fc.asyncProperty(cases, async ([writes, shuffled, cut]) => {
      const outcomes = [];
      for (const parts of [[writes], [shuffled.slice(0, cut), shuffled.slice(cut)]]) {
        const scope = { ...SCOPE, workspaceId: workspaceId(workspace++) };
        const people = parts.map((part) =>
          part.map(({ values, setAt }) =>
            personOf({ given: { other: 'o' }, attributes: values, setAt, mpidOf: undefined }),
          ),
        );
        let mpid = 0n;
        for (const chunk of people) {
          const [first] = (await deliver(store, chunk, scope)).outcomes;
          if (first !== undefined && 'mpid' in first) mpid = first.mpid;
        }
        const attributes = (await readProfile(store, scope, mpid))?.attributes ?? [];
        outcomes.push(new Map(attributes.map(({ name, value, setAt }) => [name, { value, setAt }])));
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }),
    { numRuns: 100 },
  );
}, 120_000);
