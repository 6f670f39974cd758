import { describe, expect, it } from 'vitest';
import { checkBatch } from '../../../src/events/index.ts';
import { type Json, parseJson } from '../../../src/kernel/index.ts';
import { complaint, event, LIMITS, many, paths } from '../../support/batches/batches.ts';

describe('limits', () => {
  it('bound the bytes of a batch, of the text it came in where there is one', () => {
    const body = { job_id: 'é' };
    expect(paths(body, { ...LIMITS, batchBytes: 15 })).toEqual([]);
    expect(complaint(body, { ...LIMITS, batchBytes: 14 })).toBe(
      ': The batch has 15 bytes; at most 14 are allowed. Send fewer events.',
    );
    expect(checkBatch(body, { ...LIMITS, batchBytes: 15 }, '{"job_id": "é"}')).toHaveLength(1);
  });

  it('bound the attributes of an event, of a product and of a user', () => {
    const custom = (count: number) => event('first_run', { custom_attributes: many(count) });
    expect(checkBatch(custom(100), LIMITS)).toEqual([]);
    expect(complaint(custom(101))).toBe(
      'events[0].data.custom_attributes: has 101 attributes; at most 100 are allowed',
    );
    expect(checkBatch(custom(101), { ...LIMITS, attributesPerEvent: 101 })).toEqual([]);
    const product = event('commerce_event', { shopping_cart: { products: [{ custom_attributes: many(101, 'x') }] } });
    expect(paths(product)).toEqual(['events[0].data.shopping_cart.products[0].custom_attributes']);
    expect(checkBatch({ user_attributes: many(100) }, LIMITS)).toEqual([]);
    expect(complaint({ user_attributes: many(101) })).toContain('user_attributes: has 101 attributes');
    expect(checkBatch({ user_attributes: many(101) }, { ...LIMITS, userAttributesPerBatch: 101 })).toEqual([]);
  });

  it.each([
    [
      'a custom event',
      (name: string) => event('custom_event', { custom_event_type: 'other', event_name: name }),
      'events[0].data.event_name',
    ],
    ['a screen', (name: string) => event('screen_view', { screen_name: name }), 'events[0].data.screen_name'],
    [
      'a screen by its event_name',
      (name: string) => event('screen_view', { event_name: name }),
      'events[0].data.event_name',
    ],
    ['a commerce event', (name: string) => event('commerce_event', { event_name: name }), 'events[0].data.event_name'],
    ['a deleted attribute', (name: string) => ({ deleted_user_attributes: [name] }), 'deleted_user_attributes[0]'],
    [
      'a changed attribute',
      (name: string) => event('user_attribute_change', { user_attribute_name: name }),
      'events[0].data.user_attribute_name',
    ],
    [
      'a lifetime value',
      (name: string) => event('first_run', { lifetime_value_attribute_name: name }),
      'events[0].data.lifetime_value_attribute_name',
    ],
  ])('bound the name of %s', (_what, put, path) => {
    expect(checkBatch(put('𝒳'.repeat(256)), LIMITS)).toEqual([]);
    expect(complaint(put('x'.repeat(257)))).toBe(`${path}: has 257 characters; at most 256 are allowed`);
  });

  it.each([
    ['user_attributes', (name: string) => ({ user_attributes: { [name]: 'x' } })],
    ['events[0].data.custom_attributes', (name: string) => event('first_run', { custom_attributes: { [name]: 'x' } })],
    [
      'events[0].data.custom_flags',
      (name: string) => event('screen_view', { screen_name: 'x', custom_flags: { [name]: 'x' } }),
    ],
    [
      'events[0].data.shopping_cart.products[0].custom_attributes',
      (name: string) =>
        event('commerce_event', { shopping_cart: { products: [{ custom_attributes: { [name]: 'x' } }] } }),
    ],
  ])('bound the names in %s', (place, put) => {
    expect(checkBatch(put('x'.repeat(256)), LIMITS)).toEqual([]);
    const long = 'x'.repeat(257);
    expect(complaint(put(long))).toBe(
      `${place}["${'x'.repeat(80)}…"]: has a name that has 257 characters; at most 256 are allowed`,
    );
  });

  it.each([
    ['user_attributes.a', (value: unknown) => ({ user_attributes: { a: value } })],
    ['user_attributes.a[1]', (value: unknown) => ({ user_attributes: { a: ['x', value] } })],
    ['events[0].data.custom_attributes.a', (value: unknown) => event('first_run', { custom_attributes: { a: value } })],
    [
      'events[0].data.new',
      (value: unknown) => event('user_attribute_change', { user_attribute_name: 'x', new: value }),
    ],
  ])('bound the value of %s, and never cut it', (path, put) => {
    expect(checkBatch(put('𝒳'.repeat(4096)), LIMITS)).toEqual([]);
    expect(complaint(put('x'.repeat(4097)))).toBe(`${path}: has 4097 characters; at most 4096 are allowed`);
    expect(complaint(put(10n ** 4096n))).toContain('has 4097 characters');
    expect(checkBatch(put('x'.repeat(5)), { ...LIMITS, valueCharacters: 5 })).toEqual([]);
    expect(checkBatch(put('x'.repeat(6)), { ...LIMITS, valueCharacters: 5 })).toHaveLength(1);
  });

  it('leave text alone that is no attribute', () => {
    expect(
      checkBatch(event('crash_report', { severity: 'x', message: 'x', stack_trace: 'x'.repeat(5000) }), LIMITS),
    ).toEqual([]);
  });
});

describe('a hostile batch', () => {
  it('is answered with 50 complaints and a word about the rest', () => {
    const issues = checkBatch(many(1000), LIMITS);
    expect(issues).toHaveLength(51);
    expect(issues.at(-1)).toEqual({ path: '', message: 'and more' });
    expect(checkBatch(event('first_run', many(1000, 'a\0')), LIMITS)).toHaveLength(50);
  });

  it('is refused when what may be anything is nested over 100 levels', () => {
    const deep = (levels: number) => parseJson(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as Json;
    for (const put of [
      (colour: Json) => event('first_run', { colour }),
      (schema_version: Json) => ({ schema_version }),
    ]) {
      expect(checkBatch(put(deep(100)), LIMITS)).toEqual([]);
      expect(complaint(put(deep(101)))).toMatch(
        /^(events\[0\]\.data\.colour|schema_version): is nested more than 100 levels deep$/,
      );
      // too deep to be written; its source tells its size
      expect(complaint(put(deep(60_000)))).toBe(': is nested too deeply');
      expect(checkBatch(put(deep(60_000)), LIMITS, 'short')).toHaveLength(1);
    }
  });
});
