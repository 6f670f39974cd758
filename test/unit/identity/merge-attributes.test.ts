import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsFor, nameOfKey, objectText, readObjectText } from '../../../src/identity/profiles/attribute-text.ts';
import { readTimes, type Time, timeOf } from '../../../src/identity/profiles/attribute-times.ts';
import {
  type KeptAttributes,
  mergeAttributes,
  NO_ATTRIBUTES,
} from '../../../src/identity/profiles/merge-attributes.ts';

type Mode = 'full' | 'incremental';
type Values = Readonly<Record<string, string | null>>;

function row(values: Values | ReadonlyMap<string, string | null>, setAt: Time) {
  const entries = values instanceof Map ? [...values] : Object.entries(values as Values);
  const columns = columnsFor(entries.map(([name]) => name));
  const texts = entries.map(([, value]) => value);
  const removed = columns.keys.filter((_, i) => texts[i] === null);
  return { columns, text: objectText(columns, texts), removed, setAt };
}

function merge(kept: KeptAttributes, values: Values, setAt: Time) {
  return mergeAttributes(kept, row(values, setAt), 'incremental');
}

function mergeFull(kept: KeptAttributes, values: Values, setAt: Time) {
  return mergeAttributes(kept, row(values, setAt), 'full');
}

/** name → [value text, time]; a removed name has no value. */
function contents({ attributes, times }: KeptAttributes): Map<string, readonly [string | undefined, Time | undefined]> {
  const values = readObjectText(attributes);
  const { byDefault, own } = readTimes(times);
  const keys = new Set([...values.keys(), ...own.keys()]);
  return new Map([...keys].map((key) => [nameOfKey(key), [values.get(key), own.get(key) ?? byDefault] as const]));
}

describe('mergeAttributes', () => {
  it('keeps one time for attributes that came together', () => {
    expect(merge(NO_ATTRIBUTES, { a: '1', b: '"x"' }, 7)).toMatchObject({
      attributes: '{"a":1,"b":"x"}',
      times: '{"":7}',
      changed: true,
      prevailed: true,
    });
  });

  it('lets the later time win, attribute by attribute, whatever arrives first', () => {
    const first = merge(merge(NO_ATTRIBUTES, { a: '1', b: '1' }, 10), { b: '2', c: '2' }, 5);
    const second = merge(merge(NO_ATTRIBUTES, { b: '2', c: '2' }, 5), { a: '1', b: '1' }, 10);
    expect(contents(first)).toEqual(contents(second));
    expect(contents(first)).toEqual(
      new Map([
        ['a', ['1', 10]],
        ['b', ['1', 10]],
        ['c', ['2', 5]],
      ]),
    );
    expect(first.prevailed).toBe(false);
  });

  it('leaves everything as it is when the row says nothing', () => {
    const kept = merge(merge(NO_ATTRIBUTES, { a: '1', b: '1' }, 10), { b: null }, 20);
    for (const row of [merge(kept, {}, 30), mergeFull(kept, {}, 30)]) {
      expect(row).toEqual({ ...kept, changed: false, prevailed: true });
    }
  });

  it('lets the later delivery win at equal times', () => {
    expect(merge(merge(NO_ATTRIBUTES, { a: '1' }, 10), { a: '2' }, 10).attributes).toBe('{"a":2}');
  });

  it('removes with null and remembers when', () => {
    const removed = merge(merge(NO_ATTRIBUTES, { a: '1', b: '1' }, 10), { a: null }, 20);
    expect(removed.attributes).toBe('{"b":1}');
    expect(merge(removed, { a: '0' }, 15).changed).toBe(false);
    expect(merge(removed, { a: '2' }, 20).attributes).toBe('{"b":1,"a":2}');
    expect(merge(NO_ATTRIBUTES, { a: null }, 20).times).toBe('{"a":20}');
  });

  it('sees no change in a row that was delivered before', () => {
    const kept = merge(NO_ATTRIBUTES, { a: '1', b: '"x"' }, 10);
    expect(merge(kept, { a: '1', b: '"x"' }, 10).changed).toBe(false);
    expect(merge(kept, { a: '1' }, 10).changed).toBe(false);
    expect(merge(kept, { a: '1', b: '"x"' }, 11).changed).toBe(true);
  });

  it('leaves a value its time when a full sync brings the same', () => {
    const kept = merge(NO_ATTRIBUTES, { a: '1', b: '"x"' }, 10);
    expect(mergeFull(kept, { a: '1', b: '"x"' }, 20)).toMatchObject({ changed: false, prevailed: true });
    const changed = mergeFull(kept, { a: '1', b: '"y"' }, 20);
    expect(contents(changed)).toEqual(
      new Map([
        ['a', ['1', 10]],
        ['b', ['"y"', 20]],
      ]),
    );
  });

  it('lets a full sync lose against a later write and says so', () => {
    const kept = merge(NO_ATTRIBUTES, { a: '1' }, 30);
    expect(mergeFull(kept, { a: '2' }, 20)).toMatchObject({ changed: false, prevailed: false });
  });

  it('tells 1 from 12, and "a" from "a\\"', () => {
    const kept = merge(NO_ATTRIBUTES, { a: '12', b: '"a\\""' }, 10);
    expect(mergeFull(kept, { a: '1', b: '"a\\""' }, 20).attributes).toBe('{"a":1,"b":"a\\""}');
    expect(mergeFull(kept, { a: '12', b: '"a\\\\"' }, 20).attributes).toBe('{"a":12,"b":"a\\\\"}');
  });

  it('keeps exact numbers as they are written', () => {
    const kept = merge(NO_ATTRIBUTES, { a: '9223372036854775807', b: '1.50', c: '1' }, 10);
    expect(merge(kept, { c: '2' }, 20).attributes).toBe('{"a":9223372036854775807,"b":1.50,"c":2}');
  });

  it.each(['__proto__', 'constructor', '', ' ', '  ', '"', '\\', ':', 'é𝒳\n', 'n'.repeat(100_000)])(
    'holds an attribute of any name (%#)',
    (name) => {
      const one = merge(NO_ATTRIBUTES, JSON.parse(`{${JSON.stringify(name)}:"1","other":"1"}`) as Values, 10);
      const two = merge(one, JSON.parse(`{${JSON.stringify(name)}:"2"}`) as Values, 20);
      expect(contents(two)).toEqual(
        new Map([
          [name, ['2', 20]],
          ['other', ['1', 10]],
        ]),
      );
      const gone = merge(two, JSON.parse(`{${JSON.stringify(name)}:null}`) as Values, 30);
      expect(contents(gone).get(name)).toEqual([undefined, 30]);
    },
  );

  it('keeps times beyond 2^53', () => {
    const year9999 = timeOf(253_402_300_799_999_999n);
    const kept = merge(
      merge(NO_ATTRIBUTES, { a: '1', b: '1' }, year9999),
      { a: '2' },
      timeOf(253_402_300_800_000_000n),
    );
    expect(contents(kept).get('a')).toEqual(['2', 253_402_300_800_000_000n]);
    expect(contents(kept).get('b')).toEqual(['1', 253_402_300_799_999_999n]);
    expect(merge(kept, { a: '3' }, 5).changed).toBe(false);
  });
});

const names = ['a', 'b', 'c', '', ' ', '__proto__'];
const value = fc.option(
  fc.oneof(
    fc.constantFrom('1', '12', '"x"', '"\\""', '[1,"],}"]', '{"k":{"a":"}"}}', '"a"'),
    fc.jsonValue().map((json) => JSON.stringify(json)),
  ),
  { nil: null },
);
const write = fc.record({
  values: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value), { selector: ([name]) => name }),
  time: fc.integer({ min: 1, max: 6 }),
  mode: fc.constantFrom<Mode>('full', 'incremental'),
});

type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never;
type Model = Map<string, readonly [string | undefined, Time]>;

/** The rule itself, one attribute; false: lost against a later write. */
function apply(model: Model, [name, text]: readonly [string, string | null], { time, mode }: Write): boolean {
  const [oldText, oldTime] = model.get(name) ?? [undefined, 0];
  const isThere = model.has(name) && oldText === (text ?? undefined);
  if (isThere && mode === 'full') return true;
  if (oldTime > time) return isThere;
  model.set(name, [text ?? undefined, time]);
  return true;
}

describe('mergeAttributes, any sequence of writes', () => {
  it('equals the plain rule', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 8 }), (writes) => {
        let kept: KeptAttributes = NO_ATTRIBUTES;
        const model: Model = new Map();
        for (const one of writes) {
          const before = JSON.stringify([...model]);
          const prevailed = one.values.map((entry) => apply(model, entry, one)).every(Boolean);
          const merged = mergeAttributes(kept, row(new Map(one.values), one.time), one.mode);
          expect(contents(merged)).toEqual(model);
          expect(merged.prevailed).toBe(prevailed);
          expect(merged.changed).toBe(before !== JSON.stringify([...model]));
          expect(() => JSON.parse(merged.attributes)).not.toThrow();
          kept = merged;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('ends the same in every order, provided the times differ', () => {
    const shuffled = fc
      .uniqueArray(write, { selector: ({ time }) => time, maxLength: 6 })
      .chain((writes) => fc.tuple(fc.constant(writes), fc.shuffledSubarray(writes, { minLength: writes.length })));
    const all = (writes: readonly { values: [string, string | null][]; time: number }[]) =>
      writes.reduce<KeptAttributes>(
        (kept, { values, time }) => mergeAttributes(kept, row(new Map(values), time), 'incremental'),
        NO_ATTRIBUTES,
      );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(contents(all(other))).toEqual(contents(all(one)));
      }),
      { numRuns: 500 },
    );
  });
});
