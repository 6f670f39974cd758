// The batch of any valid call keeps the contract; and what is over a limit is refused with its path.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { CALL_TYPES, type CallFields, type CallType, checkCall } from '../../../src/events/analytics/call-contract.ts';
import * as tables from '../../../src/events/analytics/field-lines.ts';
import { issuesInCall } from '../../../src/events/analytics/issues-in-call.ts';
import { mapCall } from '../../../src/events/analytics/map-call.ts';
import { readCall } from '../../../src/events/analytics/read-call.ts';
import { TRACK_NAMES } from '../../../src/events/analytics/track-names.ts';
import { checkBatch } from '../../../src/events/index.ts';
import { type Json, parseJson, stringifyJson } from '../../../src/kernel/index.ts';
import { LIMITS } from '../../support/batches/batches.ts';

const READING = { arrival: { receivedMs: Date.parse('2026-03-01T12:00:00Z') }, limits: LIMITS };

const text = fc
  .oneof(fc.string({ maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 8 }), fc.uuid(), fc.ipV4())
  .map((some) => `${some.replaceAll('\0', ' ').toWellFormed()}x`);
const single = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('', '12', 'true', '00000000-0000-0000-0000-000000000000', 'iOS', 'Android', 'en-US', '::1'),
  fc.boolean(),
  fc.constant(null),
);
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: single },
  { weight: 1, arbitrary: fc.array(single, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(text, single, { maxKeys: 3 }) },
);

/** Every field that a table reads, and others, so that every line meets every kind of value. */
const NAMES = [
  ...new Set(
    Object.values(tables)
      .flat()
      .flatMap((line) => (typeof line === 'string' ? [] : line.from)),
  ),
];
const below = (prefix: string) =>
  NAMES.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
const objectOf = (names: readonly string[], values: fc.Arbitrary<unknown> = anything) =>
  fc.record(Object.fromEntries([...names, '__proto__x', 'a b', 'other'].map((name) => [name, values])), {
    requiredKeys: [],
  });
const ITEMS = [
  'product_id',
  'promotion_id',
  'id',
  'sku',
  'name',
  'category',
  'coupon',
  'price',
  'quantity',
  'position',
];
const items = fc.array(fc.oneof({ weight: 4, arbitrary: objectOf(ITEMS) }, { weight: 1, arbitrary: single }), {
  maxLength: 3,
});

const properties = fc
  .tuple(
    objectOf([...below('properties.'), ...ITEMS]),
    fc.record({ products: items, promotions: items }, { requiredKeys: [] }),
  )
  .map(([one, other]) => ({ ...one, ...other }));

const DEEP = [
  ...new Set(
    below('context.')
      .filter((name) => name.includes('.'))
      .map((name) => name.split('.')[0] as string),
  ),
];
const context = fc
  .tuple(
    objectOf(below('context.').filter((name) => !name.includes('.'))),
    fc.record(Object.fromEntries(DEEP.map((name) => [name, fc.oneof(objectOf(below(`context.${name}.`)), anything)])), {
      requiredKeys: [],
    }),
  )
  .map(([one, other]) => ({ ...one, ...other }));

const id = fc.oneof(text, fc.uuid(), fc.integer(), fc.constantFrom('', null));
const time = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
  .map((date) => date.toISOString());
const said = fc.oneof(text, fc.integer());
const COMMON = {
  messageId: id,
  userId: id,
  anonymousId: id,
  channel: fc.oneof(fc.constantFrom('web', 'mobile', 'server'), text),
  timestamp: time,
  originalTimestamp: time,
  sentAt: time,
  context: fc.option(context),
};
const event = fc.oneof(fc.constantFrom(...TRACK_NAMES.map(({ name }) => name)), text);
const OWN: Readonly<Record<CallType, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  track: { event, properties: fc.option(properties) },
  page: { name: fc.oneof(said, fc.constant(null)), category: said, properties },
  screen: { name: said, properties: fc.option(properties) },
  identify: { traits: fc.option(objectOf(['email', 'phone'])) },
  group: { groupId: said, traits: objectOf(['email']) },
  alias: { previousId: said, userId: said },
};
const NEEDED: Readonly<Record<CallType, readonly string[]>> = {
  track: ['event'],
  page: [],
  screen: [],
  identify: [],
  group: ['groupId'],
  alias: ['previousId', 'userId'],
};

const callOf = (type: CallType): fc.Arbitrary<CallFields> =>
  fc.record({ ...COMMON, ...OWN[type] }, { requiredKeys: NEEDED[type] as never[] }) as fc.Arbitrary<CallFields>;

describe.each(CALL_TYPES)('a valid %s call', (type) => {
  it('becomes a batch that keeps the contract, before and after a journey through JSON', () => {
    fc.assert(
      fc.property(callOf(type), (given) => {
        const fields = parseJson(stringifyJson(given)) as CallFields;
        expect(checkCall(type, fields, LIMITS)).toEqual([]);
        const batch = mapCall({ type, fields }, READING);
        expect(checkBatch(batch, LIMITS)).toEqual([]);
        expect(checkBatch(parseJson(stringifyJson(batch)), LIMITS)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps the text of every value of its own somewhere', () => {
    fc.assert(
      fc.property(callOf(type), fc.stringMatching(/^mark[a-z]{12}$/), (given, mark) => {
        const holder = type === 'identify' || type === 'group' ? 'traits' : 'properties';
        if (type === 'alias') return;
        for (const name of ['price', 'total', 'name', 'category', 'email', 'coupon', 'step', 'other']) {
          const own = { ...(given[holder] as CallFields | null), [name]: mark };
          const batch = mapCall({ type, fields: { ...given, [holder]: own } as CallFields }, READING);
          expect(stringifyJson(batch)).toContain(mark);
        }
      }),
      { numRuns: 20 },
    );
  });
});

function refusals(type: CallType, fields: Json): readonly string[] {
  const issues = checkCall(type, fields, LIMITS);
  if (issues.length > 0) return issues.map(({ path }) => path);
  const call = { type, fields: fields as CallFields };
  return issuesInCall(call, READING, checkBatch(mapCall(call, READING), LIMITS)).map(({ path }) => path);
}

const LONG = 'x'.repeat(5000);
const MANY = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}`, at]));

describe('whatever stands for a call', () => {
  const names = ['userId', 'anonymousId', 'event', 'name', 'context', 'properties', 'traits', 'timestamp', 'sentAt'];
  const whatever = fc.record(Object.fromEntries(names.map((name) => [name, fc.jsonValue({ maxDepth: 3 })])), {
    requiredKeys: [],
  });
  it('becomes a batch or is refused, and a batch that would be none names fields of the call', () => {
    fc.assert(
      fc.property(fc.oneof(whatever, fc.jsonValue()), fc.constantFrom(...CALL_TYPES), (given, type) => {
        const fields = given as Json;
        const read = readCall({ fields, type }, READING);
        if (!('batch' in read)) return;
        for (const { path } of issuesInCall(read.call, READING, checkBatch(read.batch, LIMITS))) {
          expect(names).toContain(path.split(/[.[]/)[0]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a call that is refused', () => {
  test.each<[CallType, string, Json]>([
    ['track', 'properties.note', { event: 'x', properties: { note: LONG } }],
    ['track', 'properties["a b"]', { event: 'x', properties: { 'a b': { c: LONG } } }],
    ['track', 'properties', { event: 'x', properties: MANY }],
    ['track', 'event', { event: LONG }],
    ['track', 'context.page.url', { event: 'x', context: { page: { url: LONG } } }],
    ['track', 'userId', { event: 'x', userId: LONG }],
    ['track', 'anonymousId', { event: 'x', anonymousId: LONG }],
    ['track', 'userId', { event: 'x', userId: 'a\0' }],
    ['track', 'messageId', { event: 'x', messageId: 'a\0' }],
    [
      'track',
      'properties.products[1].note',
      { event: 'Order Completed', properties: { products: [{}, { note: LONG }] } },
    ],
    [
      'track',
      'properties.products[0].name',
      { event: 'Order Completed', properties: { products: [{ name: '\ud800' }] } },
    ],
    ['track', 'properties.name', { event: 'Product Added', properties: { name: '\ud800' } }],
    ['identify', 'traits.note', { userId: 'u', traits: { note: LONG } }],
    ['identify', 'traits.email', { userId: 'u', traits: { email: LONG } }],
    ['identify', 'traits', { userId: 'u', traits: MANY }],
    ['page', 'properties.note', { name: 'x', properties: { note: LONG } }],
    ['track', '', { event: 'x', properties: { blob: 'x'.repeat(200_000) } }],
    ['track', 'event', {}],
    ['track', 'event', { event: '' }],
    ['track', 'event', { event: 5 }],
    ['track', 'properties', { event: 'x', properties: [] }],
    ['track', 'context', { event: 'x', context: 'no' }],
    ['track', 'userId', { event: 'x', userId: {} }],
    ['track', 'timestamp', { event: 'x', timestamp: 'yesterday' }],
    ['track', 'timestamp', { event: 'x', timestamp: 1_700_000_000_000 }],
    ['track', 'sentAt', { event: 'x', sentAt: '2026-01-01' }],
    ['group', 'groupId', { userId: 'u' }],
    ['alias', 'previousId', { userId: 'u' }],
    ['track', '', 'text'],
    ['track', '', []],
  ])('%s: %s', (type, path, fields) => {
    expect(refusals(type, fields)).toEqual([path]);
  });
});
