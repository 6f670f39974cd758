// Anything that the shapes allow passes, and one broken field gives one complaint at its path.
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { EventBatch } from '../../../src/events/contract/batch.ts';
import { type Form, formOf, type Shape, shapeOf } from '../../../src/events/contract/form.ts';
import type { Leaf } from '../../../src/events/contract/leaves.ts';
import { checkBatch } from '../../../src/events/index.ts';
import { fieldPath, parseJson, stringifyJson } from '../../../src/kernel/index.ts';
import { LIMITS } from '../../support/batches/batches.ts';
import { generatedBatch } from '../../support/batches/generated-batch.ts';

const WRONG: Readonly<Record<Leaf['kind'], unknown>> = {
  String: {},
  string: 1,
  Integer: 1.5,
  Number: 'one',
  Boolean: 'yes',
  Uuid: 'none',
  Ip: '1.2.3',
};

interface Break {
  readonly path: string;
  readonly apply: () => void;
}
type Fields = Record<string, unknown>;
interface Spot {
  readonly value: unknown;
  readonly path: string;
  /** Puts something else in its place. */
  readonly put: (other: unknown) => void;
}

/** Every way to break one field of a value that fits. */
function breaksOf(shape: Shape, spot: Spot): readonly Break[] {
  const form = formOf(shape);
  const { value, path, put } = spot;
  if (form.form === 'anything') return [];
  if (form.form === 'leaf') return breaksOfLeaf(form.leaf, spot);
  const wrong = { path, apply: () => put(7) };
  if (value === null) return [wrong];
  if (form.form === 'list') {
    const items = value as unknown[];
    return [
      wrong,
      ...items.flatMap((_, index) => breaksOf(form.items, spotAt(items as unknown as Fields, index, path))),
    ];
  }
  return [wrong, ...breaksOfFields(form, value as Fields, path)];
}

function breaksOfLeaf({ kind, allowed, list }: Leaf, { value, path, put }: Spot): readonly Break[] {
  if (list === 'either' && Array.isArray(value)) {
    return value.map((_, index) => ({ path: `${path}[${index}]`, apply: () => Object.assign(value, { [index]: {} }) }));
  }
  return [{ path, apply: () => put(allowed === undefined ? WRONG[kind] : 'none of them') }];
}

function breaksOfFields(
  form: Exclude<Form, { form: 'list' | 'leaf' | 'anything' }>,
  value: Fields,
  path: string,
): readonly Break[] {
  if (form.form === 'map')
    return Object.keys(value).flatMap((name) => breaksOf(form.values, spotAt(value, name, path)));
  if (form.form === 'kinds') {
    const tag = { path: fieldPath(path, form.tag), apply: () => Object.assign(value, { [form.tag]: 'none' }) };
    const kind = form.kinds.get(String(value[form.tag])) ?? {};
    const ofKind = breaksOf(kind, { value, path, put: () => undefined }).slice(1);
    return [tag, ...ofKind.filter((one) => one.path !== tag.path)];
  }
  const inner = [...form.fields].filter(([name]) => Object.hasOwn(value, name));
  const unknown = { path: fieldPath(path, 'unknown_field'), apply: () => Object.assign(value, { unknown_field: 1 }) };
  return [
    ...inner.flatMap(([name, field]) => breaksOf(field, spotAt(value, name, path))),
    ...form.required.map((name) => ({ path: fieldPath(path, name), apply: () => delete value[name] })),
    ...(form.closed ? [unknown] : []),
  ];
}

function spotAt(holder: Fields, step: string | number, path: string): Spot {
  return {
    value: holder[step],
    path: fieldPath(path, step),
    put: (other) => Object.defineProperty(holder, step, { value: other }),
  };
}

describe('a generated batch', () => {
  it('passes, as it is and after a journey through JSON', () => {
    fc.assert(
      fc.property(generatedBatch, (batch) => {
        const source = stringifyJson(batch);
        expect(checkBatch(batch, LIMITS)).toEqual([]);
        expect(checkBatch(parseJson(source), LIMITS, source)).toEqual([]);
        // what documents show of the contract is the same contract
        expect(Check(EventBatch, JSON.parse(source))).toBe(true);
      }),
    );
  });

  it('gives exactly one complaint, at its path, for one broken field', () => {
    fc.assert(
      fc.property(generatedBatch, fc.array(fc.nat(), { minLength: 5, maxLength: 5 }), (batch, choices) => {
        const source = stringifyJson(batch);
        for (const choice of choices) expectOneComplaint(source, choice);
      }),
    );
  });
});

function expectOneComplaint(source: string, choice: number): void {
  const value = parseJson(source);
  const breaks = breaksOf(shapeOf(EventBatch), { value, path: '', put: () => undefined }).slice(1);
  const chosen = breaks[choice % breaks.length];
  chosen?.apply();
  expect(checkBatch(value, LIMITS).map(({ path }) => path)).toEqual(chosen === undefined ? [] : [chosen.path]);
  // JSON Schema has no word for an address of either kind
  const isDocumented = chosen !== undefined && chosen.path !== 'ip';
  if (isDocumented) expect(Check(EventBatch, JSON.parse(stringifyJson(value)))).toBe(false);
}
