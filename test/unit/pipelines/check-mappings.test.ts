import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, findDestination, missingFields } from '../../../src/events/index.ts';
import type { Issue, Json } from '../../../src/kernel/index.ts';
import type { FieldMapping } from '../../../src/pipelines/index.ts';
import { checkMappings } from '../../../src/pipelines/transformations/check-mappings.ts';
import { readMappings } from '../../../src/pipelines/transformations/read-mappings.ts';

const LIMITS = {
  ...{ batchBytes: 1000, nameCharacters: 20, valueCharacters: 30 },
  ...{ attributesPerEvent: 2, userAttributesPerBatch: 1 },
};

const column = (destination: string, source = 'c'): FieldMapping => ({ type: 'column', source, destination });
const fixed = (destination: string, value: Json): FieldMapping => ({ type: 'static', value, destination });
const ignore = (source: string): FieldMapping => ({ type: 'ignore', source });

const PERSON = column('user_identities.email', 'email');
const SCREEN = [fixed('events.event_type', 'screen_view'), fixed('events.data.event_name', 'Home'), PERSON];
const PURCHASE = [
  ...[fixed('events.event_type', 'commerce_event'), fixed('events.data.product_action.action', 'purchase'), PERSON],
];

const check = (...mappings: readonly (FieldMapping | undefined)[]) => checkMappings(mappings, LIMITS);
const told = (issues: readonly Issue[]) => issues.map(({ path, message }) => `${path}: ${message}`);

describe('the mappings of a transformation', () => {
  it.each([
    ['a screen view', SCREEN],
    ['a purchase', PURCHASE],
    ['a person by mpid', [...SCREEN.slice(0, 2), column('mpid')]],
    ['a person by a device id', [...SCREEN.slice(0, 2), column('device_info.android_uuid')]],
    ['a kind that comes with each row', [column('events.event_type', 'kind'), PERSON]],
    [
      'a product',
      [...PURCHASE, ...['id', 'name', 'price'].map((f) => column(`events.data.product_action.products.${f}`))],
    ],
    ['a list of values', [...SCREEN, fixed('user_attributes.tags', ['a', 'b'])]],
    ['part of what is set where it is absent', [...SCREEN, column('source_info.replay_job_id')]],
    ['a key with dots', [...SCREEN, column('events.data.custom_attributes.a.b')]],
    ['one column in two places', [...SCREEN, column('user_attributes.mail', 'email')]],
    ['a column that is ignored', [...SCREEN, ignore('other')]],
  ])('may give %s', (_what, mappings) => {
    expect(told(check(...mappings))).toEqual([]);
  });

  it('need a destination that the kind of event has', () => {
    const [place] = told(check(...SCREEN, column('events.data.product_action.action')));
    expect(place).toMatch(
      /^mappings\[3\]\.destination: "events.data.product_action.action" is not a field .*known are /,
    );
    expect(told(check(...SCREEN, column('user_identities.mail')))[0]).toContain('known are');
    expect(told(check(...SCREEN, column('user_identities')))[0]).toContain('mappings[3].destination: ');
    expect(told(check(...SCREEN, column('events..data')))[0]).toContain('mappings[3].destination: ');
  });

  it.each([
    ['environment', 'comes from the environment of the pipeline'],
    ['batch_id', 'is set when the batch is stored'],
    ['context.data_plan.plan_id', 'comes from data_plan_id'],
    ['context.data_plan.plan_version', 'comes from data_plan_id'],
  ])('may not give %s', (destination, reason) => {
    expect(told(check(...SCREEN, column(destination)))).toEqual([expect.stringContaining(reason)]);
  });

  it.each<[string, Json, string]>([
    ['events.data.is_main_thread', 'yes', 'must be true or false, is "yes"'],
    ['events.data.event_num', 1.5, 'must be a whole number of 64 bits, is 1.5'],
    ['events.data.lifetime_value_change', '1', 'must be a number, is "1"'],
    ['events.data.session_uuid', 'abc', 'must be a UUID such as'],
    ['ip', '1.2.3', 'must be an IPv4 or IPv6 address, is'],
    ['events.data.source_message_id', 5, 'must be text, is 5'],
    ['events.data.source_message_id', ['a'], 'must be a single value, but is a list'],
    ['device_info.brand', { a: 1 }, 'must be a single value (text, a number, true or false), is an object'],
    ['device_info.platform', 'nokia', 'must be one of iOS, Android, web'],
    ['user_attributes.a', ['x', { y: 1 }], 'is an object'],
    ['user_attributes.a', 'x'.repeat(31), 'has 31 characters; at most 30'],
    ['deleted_user_attributes', 'a', 'must be a list, is text'],
    ['deleted_user_attributes', ['x'.repeat(21)], 'has 21 characters; at most 20'],
  ])('refuse for %s the static %j', (destination, value, reason) => {
    const issues = told(check(...SCREEN, fixed(destination, value)));
    expect(issues).toEqual([expect.stringContaining(reason)]);
    expect(issues[0]).toContain('mappings[3].value: ');
    expect(issues[0]).toContain(`(${destination})`);
  });

  it('take whole numbers of 64 bits, and no longer ones', () => {
    const withId = (id: bigint) => told(check(...SCREEN, fixed('events.data.session_id', id)));
    expect(withId(2n ** 63n - 1n)).toEqual([]);
    expect(withId(2n ** 63n)[0]).toContain('must be a whole number of 64 bits, is 9223372036854775808');
  });

  it('name the kinds of events when the static is none of them, and check the rest all the same', () => {
    const issues = told(check(fixed('events.event_type', 'buy'), PERSON, column('colour')));
    expect(issues[0]).toContain('mappings[2].destination: "colour" ');
    expect(issues[1]).toContain(`mappings[0].value: must be one of ${EVENT_TYPES.join(', ')}, is "buy"`);
    expect(issues).toHaveLength(2);
  });

  it.each([
    ['a kind', [PERSON], ['events.event_type', 'it is one of custom_event']],
    ['what the kind requires', [fixed('events.event_type', 'breadcrumb'), PERSON], ['events.data.label']],
    ['one of two names', [fixed('events.event_type', 'screen_view'), PERSON], ['events.data.screen_name or']],
    [
      'what a touched object requires',
      [...PURCHASE, column('context.location.latitude')],
      ['context.location.longitude'],
    ],
    [
      'the same for each kind',
      [column('events.event_type'), PERSON, column('attribution_info.publisher')],
      ['campaign'],
    ],
    ['a person', SCREEN.slice(0, 2), ['identity']],
    ['everything', [], ['events.event_type', 'identity']],
  ])('miss %s', (_what, mappings, named) => {
    const issues = told(check(...mappings));
    for (const name of named) {
      expect(issues).toContainEqual(expect.stringMatching(new RegExp(`^mappings: no mapping sets .*${name}`)));
    }
  });

  it('miss nothing while a line is wrong that may be meant to give it', () => {
    expect(check(undefined, PERSON)).toEqual([]);
    expect(told(check(column('events.event_typ'), PERSON))).toEqual([
      expect.stringContaining('mappings[0].destination'),
    ]);
  });

  it('give one place once', () => {
    const twice = [...SCREEN, column('events.data.event_name'), column('user_identities.email', 'other')];
    expect(told(check(...twice))).toEqual([
      'mappings[3].destination: "events.data.event_name" is also set by mappings[1]; remove one',
      'mappings[4].destination: "user_identities.email" is also set by mappings[2]; remove one',
    ]);
  });

  it('give one identity once, whatever it is called', () => {
    const twice = [column('user_identities.customer_id'), column('user_identities.customerid')];
    expect(told(check(...SCREEN, ...twice))).toEqual([expect.stringContaining('means the identity customer_id')]);
  });

  it('make no value of what holds fields', () => {
    const both = [column('events.event_type'), PERSON, column('events.data.new'), column('events.data.new.identity')];
    expect(told(check(...both))).toContainEqual(expect.stringContaining('is one value, but has fields by mappings[2]'));
  });

  it('ignore a column once, and no column that is mapped', () => {
    expect(told(check(...SCREEN, ignore('email'), ignore('x'), ignore('x')))).toEqual([
      'mappings[3].source: "email" is mapped by mappings[2]; remove one',
      'mappings[5].source: "x" is ignored by mappings[4]; remove one',
    ]);
  });

  it('keep to the limits of the workspace', () => {
    const keys = ['a', 'b', 'c'].map((key) => column(`events.data.custom_attributes.${key}`));
    const attributes = ['a', 'b'].map((key) => column(`user_attributes.${key}`));
    expect(told(check(...SCREEN, ...keys, ...attributes))).toEqual([
      'mappings: 3 keys go to events.data.custom_attributes; at most 2 are allowed',
      'mappings: 2 keys go to user_attributes; at most 1 are allowed',
    ]);
    expect(check(...SCREEN, ...keys.slice(1), column(`user_attributes.${'x'.repeat(20)}`))).toEqual([]);
    expect(told(check(...SCREEN, column(`user_attributes.${'x'.repeat(21)}`)))).toEqual([
      'mappings[3].destination: has a key of 21 characters; at most 20 are allowed',
    ]);
  });

  it('can give every kind of event what it requires', () => {
    for (const kind of EVENT_TYPES) {
      const required = missingFields(kind, ['events.event_type']).map((field) => field.split(' or ')[0] ?? '');
      const rest = required.flatMap((path) => {
        const inside = 'problem' in findDestination(path, kind) ? [`${path}.identity`] : [path];
        return inside.map((each, at) => column(each, `c${at}`));
      });
      expect(told(check(fixed('events.event_type', kind), PERSON, ...rest))).toEqual([]);
    }
  });
});

describe('a line of the body', () => {
  const read = (...wire: Parameters<typeof readMappings>[0]) => {
    const issues: Issue[] = [];
    const mappings = readMappings(wire, issues);
    return { mappings, issues: told(issues) };
  };

  it('has the fields of its type; null is the absence of a field', () => {
    expect(
      read(
        { mapping_type: 'column', source: 'c', destination: 'ip', value: null },
        { mapping_type: 'static', value: false, destination: 'ip', source: null },
        { mapping_type: 'ignore', source: 'c' },
      ),
    ).toEqual({ mappings: [column('ip'), fixed('ip', false), ignore('c')], issues: [] });
  });

  it('is refused without one of them, or with another', () => {
    const { mappings, issues } = read(
      { mapping_type: 'column', value: 0 },
      { mapping_type: 'static', source: 'c', value: null, destination: 'ip' },
      { mapping_type: 'ignore', source: 'c', destination: 'ip' },
    );
    expect(mappings).toEqual([undefined, undefined, undefined]);
    expect(issues).toEqual([
      'mappings[0].source: is required for mapping_type column; name a column of the model',
      'mappings[0].value: is not allowed: mapping_type column has source and destination; leave it out',
      'mappings[0].destination: is required for mapping_type column; name a path into the batch, such as events.data.event_name',
      'mappings[1].source: is not allowed: mapping_type static has value and destination; leave it out',
      'mappings[1].value: is required for mapping_type static; give the value for every row',
      'mappings[2].destination: is not allowed: mapping_type ignore has source; leave it out',
    ]);
  });
});
