// Required fields: of one object, and of everything that a set of paths touches.
import { EventBatch } from './batch.ts';
import { EVENT_TYPES } from './event-types.ts';
import { formOf, type Shape, shapeOf } from './form.ts';

/** Names of which an object needs one; most such choices are of one name. */
type Choice = readonly string[];

/**
 * Returns the fields that an object needs once it is present. `path` is its dotted path in the batch, empty for the batch
 * itself; a list on the way counts as its items. Returns nothing for a path that is no object or that the event type does
 * not have. Below `events` the event type must be known.
 */
export function requiredFields(path: string, eventType: string | undefined): readonly Choice[] {
  const steps = path === '' ? [] : path.split('.');
  const shape = steps.reduce((at, step) => inside(at, step, eventType), shapeOf(EventBatch));
  const form = formOf(itemOf(shape, eventType));
  if (form.form !== 'object') return [];
  const { required, requiredOneOf } = form;
  return [...required.map((name) => [name]), ...(requiredOneOf.length > 0 ? [requiredOneOf] : [])];
}

/** Returns the shape of a field; the empty shape `{}` when there is no such field. */
function inside(shape: Shape, step: string, eventType: string | undefined): Shape {
  const form = formOf(itemOf(shape, eventType));
  if (form.form === 'map') return form.values;
  return (form.form === 'object' ? form.fields.get(step) : undefined) ?? {};
}

/** Returns the shape of an item of a list, and of the kind of event among its kinds. */
function itemOf(shape: Shape, eventType: string | undefined): Shape {
  const form = formOf(shape);
  if (form.form === 'list') return itemOf(form.items, eventType);
  return form.form === 'kinds' ? (form.kinds.get(eventType ?? '') ?? {}) : shape;
}

const DATA = 'events.data';
/** Places that are always written: the event of a row and its data, even when empty. */
const ALWAYS_THERE = ['', 'events', DATA];

/**
 * Returns the required fields that none of the paths covers (D-102): `event_type`, those of the kind's data, and those of
 * each optional object or list that a path touches. An object counts as covered when anything in it is. Where one of two
 * fields is enough they stand in one entry: `events.data.screen_name or events.data.event_name`.
 * Without an event type, which then comes with each row, the kind's own required fields are left out.
 */
export function missingFields(eventType: string | undefined, paths: readonly string[]): readonly string[] {
  const covered = new Set([...ALWAYS_THERE, ...paths.flatMap(withPlacesOf)]);
  const missing = [...covered].flatMap((place) =>
    needsOf(place, eventType)
      .map((choice) => choice.map((name) => (place === '' ? name : `${place}.${name}`)))
      .filter((choice) => !choice.some((path) => covered.has(path))),
  );
  return [...new Set(missing.map((choice) => choice.join(' or ')))];
}

/** Returns a path with all places above it: `a`, `a.b`, `a.b.c` for `a.b.c`. */
function withPlacesOf(path: string): readonly string[] {
  const steps = path.split('.');
  return steps.map((_, index) => steps.slice(0, index + 1).join('.'));
}

/** Returns what a touched object needs. Every kind of event that has the object needs the same of it. */
function needsOf(place: string, eventType: string | undefined): readonly Choice[] {
  if (eventType !== undefined || !place.startsWith('events')) return requiredFields(place, eventType);
  return place === DATA ? [] : EVENT_TYPES.flatMap((kind) => requiredFields(place, kind));
}
