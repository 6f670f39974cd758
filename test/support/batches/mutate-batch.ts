// Mutates one place of a batch, by mistakes that clients make and by hostile values.
import fc from 'fast-check';
import { fieldPath, type Json, parseJson, stringifyJson } from '../../../src/kernel/index.ts';
import { generatedBatch } from './generated-batch.ts';

export interface Mutant {
  /** JSON, as it is sent. */
  readonly text: string;
  /** Where the mutation is, as a refusal writes it. */
  readonly path: string;
  readonly parent: string;
  /** What decided the rules of its neighbours was changed: the kind of an event. */
  readonly isTag: boolean;
}

type Holder = Record<string | number, unknown>;

/** A value and where it hangs. */
interface Place {
  readonly holder: Holder;
  readonly step: string | number;
  readonly parent: string;
}

const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);

/** What may come to stand in place of any value, or beside it. */
const VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', ' ', 0, -1, 1.5, 1e300, {}, [], [null], { a: {} }),
  fc.constantFrom<unknown>(
    2n ** 63n,
    -(2n ** 63n) - 1n,
    10n ** 40n,
    'a\0b',
    'a\ud800',
    'x'.repeat(5000),
    deep(150),
    deep(200),
  ),
  fc.constantFrom('purchase', 'first_run', 'commerce_event', 'other', 'production', '10.0.0.1', '2020-01-01'),
  fc.jsonValue({ maxDepth: 2 }),
);
const NAMES = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', '', 'a.b', 'events', 'data', 'mpid ', 'x'.repeat(300)),
  fc.string({ minLength: 1, maxLength: 8 }),
);

type Mutation = (place: Place) => Place;

const replaceBy =
  (value: unknown): Mutation =>
  (place) => {
    define(place.holder, place.step, value);
    return place;
  };

const remove: Mutation = (place) => {
  if (Array.isArray(place.holder)) place.holder.splice(Number(place.step), 1);
  else delete place.holder[place.step];
  return place;
};

/** A field beside it, or at the end of a list. */
const addBeside =
  (name: string, value: unknown): Mutation =>
  ({ holder, parent }) => {
    const step = Array.isArray(holder) ? holder.length : name;
    define(holder, step, value);
    return { holder, step, parent };
  };

const wrap: Mutation = (place) => replaceBy([place.holder[place.step]])(place);

/** Also a field named __proto__. */
function define(holder: Holder, step: string | number, value: unknown): void {
  Object.defineProperty(holder, step, { value, enumerable: true, configurable: true, writable: true });
}

const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  { arbitrary: VALUES.map(replaceBy), weight: 4 },
  { arbitrary: fc.constant(remove), weight: 2 },
  { arbitrary: fc.tuple(NAMES, VALUES).map(([name, value]) => addBeside(name, value)), weight: 2 },
  { arbitrary: fc.constant(wrap), weight: 1 },
);

function placesOf(value: unknown, parent: string): readonly Place[] {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return [];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const holder = value as Holder;
  return steps.flatMap((step) => [{ holder, step, parent }, ...placesOf(holder[step], fieldPath(parent, step))]);
}

/** Batches that were right, each with one mutation. An MPID would have to exist: they have none. */
export const mutants: fc.Arbitrary<Mutant> = fc
  .tuple(generatedBatch, fc.nat(), mutations)
  .map(([batch, choice, mutate]) => {
    const { mpid: _, ...rest } = parseJson(stringifyJson(batch)) as Record<string, Json>;
    const value = { ...rest, user_identities: { ...(rest.user_identities as object | undefined), alias: 'x' } };
    const places = placesOf(value, '');
    const { step, parent } = mutate(places[choice % places.length] as Place);
    return {
      text: stringifyJson(value),
      path: fieldPath(parent, step),
      parent,
      isTag: step === 'event_type',
    };
  });
