// People for property tests. They have few distinct values, so that several share an identity.
import fc from 'fast-check';
import type { Person, PersonRequest, ResolutionPolicy } from '../../../src/identity/index.ts';
import { type Given, person } from './deliver-people.ts';
import type { ModelledPerson } from './people-model.ts';

export const STRATEGIES = ['profile_conversion', 'profile_link', 'profile_isolation', 'best_match'] as const;

const optional = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 });

/** In a random order of the identities. */
export const givens: fc.Arbitrary<Given> = fc
  .record({
    customer_id: optional('1', '2', '3'),
    email: optional('a@x', 'A@X', 'b@x', 'c@x'),
    other: optional('o1', 'o2'),
    mp_deviceid: optional('d1', 'd2'),
    ios_idfv: optional('i1'),
  })
  .chain((given) => {
    const entries = Object.entries(given).filter(([, value]) => value !== undefined);
    return fc.shuffledSubarray(entries, { minLength: entries.length });
  })
  .map((entries) => Object.fromEntries(entries) as Given);

const attributes = fc.uniqueArray(fc.tuple(fc.constantFrom('p', 'q', '__proto__', ''), optional('1', '"x"', 'null')), {
  selector: ([name]) => name,
});

/** Attributes; the text 'null' stands for a removal. */
export const attributeSets = attributes.map((entries) => ({
  names: entries.map(([name]) => name),
  texts: entries.map(([, text]) => (text === 'null' ? null : text)),
}));

const requests: fc.Arbitrary<PersonRequest | undefined> = fc.option(
  fc.record({ isLogout: fc.boolean(), isReadOnly: fc.boolean() }),
  { nil: undefined, freq: 1 },
);

/** Rows, batches and requests. An MPID is one of those that there may be by then, or none that exists. */
export const people: fc.Arbitrary<ModelledPerson> = fc
  .record({
    ...{ given: givens, attributes: attributeSets, request: requests, isPublic: fc.nat(2).map((one) => one === 0) },
    setAt: fc.bigInt({ min: 1n, max: 5n }),
    known: fc.option(fc.oneof(fc.nat({ max: 6 }), fc.constant(null)), { nil: undefined, freq: 5 }),
  })
  .map(({ given, request, known, ...rest }) => {
    const one: Person = { ...person(given), ...rest, ...(request !== undefined && { request }) };
    return known === undefined ? { person: one } : { person: one, known };
  });

const LOGIN_TYPES = [['customer_id'], ['customer_id', 'email'], ['mp_deviceid', 'customer_id']] as const;

/** Types that stand in no priority, several login types, device ids before them: whatever a workspace may set, and more. */
export function policiesOf(strategy: ResolutionPolicy['strategy']): fc.Arbitrary<ResolutionPolicy> {
  const types = ['customer_id', 'email', 'other', 'mp_deviceid', 'ios_idfv'] as const;
  return fc.tuple(fc.constantFrom(...LOGIN_TYPES), fc.shuffledSubarray([...types])).map(([loginTypes, listed]) => {
    const missing = loginTypes.filter((type) => !listed.includes(type));
    return { strategy, loginTypes, priority: [...missing, ...listed] };
  });
}
