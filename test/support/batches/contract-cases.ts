// One test case for each field of the batch schemas: the smallest batch with the field, with valid and with invalid values.
import { EventBatch } from '../../../src/events/contract/batch.ts';
import { type Form, formOf, type ObjectForm, type Shape, shapeOf } from '../../../src/events/contract/form.ts';
import type { Leaf } from '../../../src/events/contract/leaves.ts';
import { fieldPath } from '../../../src/kernel/index.ts';

export interface FieldCase {
  /** Where it stands, with the kind of its event: `events[0].data.url (network_performance)`. */
  readonly name: string;
  readonly path: string;
  readonly accepted: readonly unknown[];
  /** Each breaks one rule, and is refused at `path`. */
  readonly refused: readonly unknown[];
}

interface Values {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);
const SOME_UUID = '01234567-89ab-cdef-ABCD-0123456789aB';

const OF_KIND: Readonly<Record<Leaf['kind'], Values>> = {
  String: { good: ['x', 7, 1.5, true, false], bad: [{}] },
  string: { good: ['x'], bad: [7, null, true, {}, []] },
  Integer: { good: [7, 0, -1, MOST, LEAST], bad: [1.5, 'x', true, MOST + 1n, LEAST - 1n, {}, []] },
  Number: { good: [7, -1.5, 0, 1e300], bad: ['7', true, {}, []] },
  Boolean: { good: [true, false], bad: ['true', 0, {}, []] },
  Uuid: { good: [SOME_UUID], bad: ['x', SOME_UUID.replaceAll('-', ''), 7, {}, []] },
  Ip: { good: ['10.0.0.1', '::1'], bad: ['10.0.0', 'host', 7, {}, []] },
};

/** What a walk through the shapes carries along. */
interface Spot {
  readonly path: string;
  /** The kind of event it is in. */
  readonly kind: string;
  /** The whole batch with this value in its place. */
  readonly wrap: (value: unknown) => unknown;
}

/** Returns a case for every field of a batch, those of all event kinds included. */
export function fieldCases(): readonly FieldCase[] {
  // somebody has to be named: an MPID that nobody has is refused alone
  const wrap = (batch: unknown) => ({ user_identities: { other: 'x' }, ...(batch as object) });
  const form = formOf(shapeOf(EventBatch)) as ObjectForm;
  return fieldsOf(form, { path: '', kind: '', wrap });
}

function casesOf(shape: Shape, spot: Spot): readonly FieldCase[] {
  const form = formOf(shape);
  switch (form.form) {
    case 'leaf':
      return [caseOf(valuesOf(form.leaf), spot)];
    case 'object':
      return [container(form, spot), ...fieldsOf(form, spot)];
    case 'list':
      return [
        container(form, spot),
        ...casesOf(
          form.items,
          within(spot, 0, (value) => [value]),
        ),
      ];
    case 'map':
      return [
        container(form, spot),
        ...casesOf(
          form.values,
          within(spot, 'key', (value) => ({ key: value })),
        ),
      ];
    case 'kinds':
      return [...form.kinds].flatMap(([kind, one]) => casesOf(one, { ...spot, kind }));
    case 'anything':
      return [caseOf({ good: [null, 7, 'x', { a: [] }], bad: [] }, spot)];
  }
}

function fieldsOf(form: ObjectForm, spot: Spot): readonly FieldCase[] {
  const least = leastObject(form);
  const put = (name: string) => within(spot, name, (value) => ({ ...least, [name]: value }));
  const fields = [...form.fields].flatMap(([name, field]) => casesOf(field, put(name)));
  const missing = form.required.map((name) => {
    const { [name]: _, ...rest } = least;
    return { ...caseOf({ good: [], bad: [] }, put(name)), refused: [spot.wrap(rest)] };
  });
  const unknown = caseOf(form.closed ? { good: [], bad: [7] } : { good: [7, {}], bad: [] }, put('unknown_field'));
  return [...fields, ...missing, unknown];
}

const within = ({ path, kind, wrap }: Spot, step: string | number, place: (value: unknown) => unknown): Spot => ({
  path: fieldPath(path, step),
  kind,
  wrap: (value) => wrap(place(value)),
});

function caseOf({ good, bad }: Values, { path, kind, wrap }: Spot): FieldCase {
  return {
    path,
    name: kind === '' ? path : `${path} (${kind})`,
    accepted: good.map(wrap),
    refused: bad.map(wrap),
  };
}

function container(form: Extract<Form, { form: 'object' | 'list' | 'map' }>, spot: Spot): FieldCase {
  const nulls = [null];
  const other = form.form === 'list' ? {} : [];
  const good = [least(form), ...(form.nullable ? nulls : [])];
  return caseOf({ good, bad: [7, 'x', true, other, ...(form.nullable ? [] : nulls)] }, spot);
}

function valuesOf({ kind, nullable, allowed, list, digits, identity }: Leaf): Values {
  const { good, bad } = OF_KIND[kind];
  const nulls = nullable ? [null] : [];
  if (allowed !== undefined) return { good: [...allowed, ...nulls], bad: ['none of them', ...bad] };
  const lists =
    list === 'either' ? { good: [[], ['x', 7, null]], bad: [] } : { good: [], bad: kind === 'String' ? [[]] : [] };
  const asDigits = digits ? [String(MOST)] : [];
  const empty = identity === undefined ? [] : [''];
  return { good: [...good, ...nulls, ...asDigits, ...lists.good], bad: [...bad, ...empty, ...lists.bad] };
}

/** The smallest value of a form. */
function least(form: Form): unknown {
  switch (form.form) {
    case 'leaf':
      return form.leaf.allowed?.[0] ?? OF_KIND[form.leaf.kind].good[0];
    case 'object':
      return leastObject(form);
    case 'list':
      return [];
    case 'map':
    case 'anything':
      return {};
    case 'kinds':
      return least(formOf([...form.kinds.values()][0] ?? {}));
  }
}

function leastObject({ fields, required, requiredOneOf }: ObjectForm): Readonly<Record<string, unknown>> {
  const names = [...required, ...requiredOneOf.slice(0, 1)];
  return Object.fromEntries(names.map((name) => [name, least(formOf(fields.get(name) ?? {}))]));
}
