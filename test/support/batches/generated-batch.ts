// Generates valid batches from the schemas of the batch format, for property tests.
import fc from 'fast-check';
import { EventBatch } from '../../../src/events/contract/batch.ts';
import { formOf, type ObjectForm, type Shape, shapeOf } from '../../../src/events/contract/form.ts';
import type { Leaf } from '../../../src/events/contract/leaves.ts';

const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: 0n, max: 10n ** 30n }),
);
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = fc
  .oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }))
  .map((some) => some.replaceAll('\0', ' ').toWellFormed());
const named = text.map((some) => `${some}x`);

const SINGLES: Readonly<Record<Leaf['kind'], fc.Arbitrary<unknown>>> = {
  String: fc.oneof(text, number, fc.boolean()),
  string: text,
  Integer: int64,
  Number: number,
  Boolean: fc.boolean(),
  Uuid: fc.uuid(),
  Ip: fc.oneof(fc.ipV4(), fc.ipV6()),
};
function leafValue({ kind, nullable, allowed, list, identity, digits }: Leaf): fc.Arbitrary<unknown> {
  const ofKind = allowed === undefined ? SINGLES[kind] : fc.constantFrom(...allowed);
  const plain = identity !== undefined && kind === 'String' ? named : ofKind;
  const either = digits ? fc.oneof(plain, int64.map(String)) : plain;
  const single = nullable ? fc.oneof(either, fc.constant(null)) : either;
  return list === 'either' ? fc.oneof(single, fc.array(single, { maxLength: 3 })) : single;
}

function objectValue({ fields, required, requiredOneOf, nullable, closed }: ObjectForm): fc.Arbitrary<unknown> {
  const model = Object.fromEntries([...fields].map(([name, field]) => [name, arbitraryOf(field)]));
  const must = [...required, ...requiredOneOf.slice(0, 1)];
  const known = fc.record(model, { requiredKeys: must });
  const whole = closed
    ? known
    : fc
        .tuple(
          known,
          fc.dictionary(
            named.map((name) => `~${name}`),
            fc.jsonValue({ maxDepth: 2 }),
            { maxKeys: 1 },
          ),
        )
        .map(([one, other]) => ({ ...other, ...one }));
  return nullable ? fc.option(whole, { freq: 5 }) : whole;
}

function arbitraryOf(shape: Shape): fc.Arbitrary<unknown> {
  const form = formOf(shape);
  switch (form.form) {
    case 'leaf':
      return leafValue(form.leaf);
    case 'object':
      return objectValue(form);
    case 'list': {
      const list = fc.array(arbitraryOf(form.items), { maxLength: 3 });
      return form.nullable ? fc.option(list, { freq: 5 }) : list;
    }
    case 'map': {
      const map = fc.dictionary(named, arbitraryOf(form.values), { maxKeys: 3 });
      return form.nullable ? fc.option(map, { freq: 5 }) : map;
    }
    case 'kinds':
      return fc.oneof(...[...form.kinds.values()].map(arbitraryOf));
    case 'anything':
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Batches of every form that the contract allows, as the lossless parser gives them. */
export const generatedBatch: fc.Arbitrary<EventBatch> = arbitraryOf(shapeOf(EventBatch))
  // the two spellings are generated apart from each other
  .filter((some) => !Object.hasOwn((some as { user_identities?: object }).user_identities ?? {}, 'customerid'))
  .map((some) => some as EventBatch);
