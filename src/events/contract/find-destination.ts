import { EventBatch } from './batch.ts';
import { EVENT_TYPES, isEventType } from './event-types.ts';
import { type Form, formOf, type Shape, shapeOf } from './form.ts';
import type { Leaf } from './leaves.ts';

/** Place in a batch to which a value of a row can go. */
export interface Destination {
  /** The steps from the batch to the value: `['events', 'data', 'event_name']`. A free key is the last step, dots and all. */
  readonly path: readonly string[];
  readonly leaf: Leaf;
  /** Positions in `path` of steps that hold a list; that of `events` is the one event of the row. */
  readonly lists: readonly number[];
  /** The caller chose the last step as a name, so it is bounded as a name (D-031). */
  readonly named: boolean;
}

export interface NoDestination {
  readonly problem: string;
}

interface Walk {
  readonly steps: readonly string[];
  readonly eventType: string | undefined;
}

type Found = Pick<Destination, 'leaf' | 'lists' | 'named'> & { readonly end: number };

/**
 * Finds the place that a dotted path names in a batch (D-102), such as `user_identities.email` or
 * `events.data.custom_attributes.colour`. Without an event type, which then comes with each row, a path that any kind
 * has is accepted, with the values of all of them. Otherwise returns the problem, as a sentence without its subject.
 */
export function findDestination(path: string, eventType: string | undefined): Destination | NoDestination {
  if (eventType !== undefined && !isEventType(eventType)) {
    return { problem: `needs a known event_type; "${eventType}" is not one of ${EVENT_TYPES.join(', ')}` };
  }
  const steps = path.split('.');
  if (steps.includes('')) return { problem: 'has an empty part; separate the names with single dots' };
  const found = find(shapeOf(EventBatch), 0, { steps, eventType });
  if ('problem' in found) return found;
  const { end, ...rest } = found;
  const named = [...steps.slice(0, end), ...(end < steps.length ? [steps.slice(end).join('.')] : [])];
  return { path: named, ...rest };
}

/** Finds the place below a shape; `at` is the position of the step to look up in it. */
function find(shape: Shape, at: number, walk: Walk): Found | NoDestination {
  const form = formOf(shape);
  if (form.form === 'kinds') return findInKinds(form, at, walk);
  if (form.form === 'list') return findInList(form, at, walk);
  const step = walk.steps[at];
  if (form.form === 'leaf') {
    if (step === undefined) return { leaf: form.leaf, lists: [], named: false, end: at };
    return { problem: `does not exist: ${placeOf(walk, at)} is a single value` };
  }
  if (form.form === 'anything') return { problem: `is not stored: ${placeOf(walk, at)} is ignored` };
  if (step === undefined) return { problem: `is not a single value; ${nextStepHint(form)}` };
  if (form.form === 'map') return findInMap(form, at, walk);
  const field = form.fields.get(step);
  return field === undefined ? unknownField(form, at, walk) : find(field, at + 1, walk);
}

function findInMap(form: Extract<Form, { form: 'map' }>, at: number, walk: Walk): Found | NoDestination {
  const values = formOf(form.values);
  // the last free key may hold dots
  if (values.form === 'leaf') return { leaf: values.leaf, lists: [], named: form.limits.names === true, end: at };
  return find(form.values, at + 1, walk);
}

function findInList(form: Extract<Form, { form: 'list' }>, at: number, walk: Walk): Found | NoDestination {
  const found = find(form.items, at, walk);
  if ('problem' in found) return found;
  if (walk.steps[at] === undefined) return { ...found, leaf: { ...found.leaf, list: 'always' } };
  return { ...found, lists: [at - 1, ...found.lists] };
}

function findInKinds(form: Extract<Form, { form: 'kinds' }>, at: number, walk: Walk): Found | NoDestination {
  const kinds = walk.eventType === undefined ? [...form.kinds.values()] : [form.kinds.get(walk.eventType) ?? {}];
  const answers = kinds.map((kind) => find(kind, at, walk));
  const [first, ...others] = answers.filter(isFound);
  if (first !== undefined) return others.reduce(mergeAllowed, first);
  const [ofKind] = answers;
  if (walk.eventType !== undefined && ofKind !== undefined) return ofKind;
  const isAbove = 'events.data'.startsWith(walk.steps.join('.'));
  return { problem: isAbove ? 'is not a single value; name a field of events.data' : 'is not a field of any event' };
}

const isFound = (answer: Found | NoDestination): answer is Found => !('problem' in answer);

/** Merges the leaves of a field that two kinds share. Their type is the same; allowed values may differ. */
function mergeAllowed(one: Found, other: Found): Found {
  const { allowed } = one.leaf;
  if (allowed === undefined || other.leaf.allowed === undefined) return one;
  return { ...one, leaf: { ...one.leaf, allowed: [...new Set([...allowed, ...other.leaf.allowed])] } };
}

function unknownField(form: Extract<Form, { form: 'object' }>, at: number, walk: Walk): NoDestination {
  const place = placeOf(walk, at);
  const where = place === '' ? 'an event batch' : place;
  const kind = walk.eventType !== undefined && place === 'events.data' ? ` of ${walk.eventType}` : '';
  return { problem: `is not a field of ${where}${kind}; known are ${[...form.fields.keys()].join(', ')}` };
}

const placeOf = ({ steps }: Walk, at: number): string => steps.slice(0, at).join('.');

function nextStepHint(form: Form): string {
  if (form.form !== 'object') return 'name a key in it';
  return `name one of its fields: ${[...form.fields.keys()].join(', ')}`;
}
