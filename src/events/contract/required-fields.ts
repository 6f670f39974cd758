// What has to be there: of one object, and of everything that a set of paths touches.
import { EventBatch } from './batch.ts';
import { EVENT_TYPES } from './event-types.ts';
import { formOf, type Shape, shapeOf } from './form.ts';

/** Names of which an object needs one; most such choices are of one name. */
type Choice = readonly string[];

/**
 * What an object needs once it is there, by its dotted path in the batch (empty: the batch itself); lists on the way count
 * as their items. Nothing for a path that is no object, or that the event type has no place for. Below `events` the event
 * type has to be known.
 */
export function requiredFields(path: string, eventType: string | undefined): readonly Choice[] {
  const steps = path === '' ? [] : path.split('.');
  const shape = steps.reduce((at, step) => inside(at, step, eventType), shapeOf(EventBatch));
  const form = formOf(itemOf(shape, eventType));
  if (form.form !== 'object') return [];
  const { required, requiredOneOf } = form;
  return [...required.map((name) => [name]), ...(requiredOneOf.length > 0 ? [requiredOneOf] : [])];
}

/** `{}` says nothing and holds nothing. */
function inside(shape: Shape, step: string, eventType: string | undefined): Shape {
  const form = formOf(itemOf(shape, eventType));
  if (form.form === 'map') return form.values;
  return (form.form === 'object' ? form.fields.get(step) : undefined) ?? {};
}

/** Through lists, and to the kind of event. */
function itemOf(shape: Shape, eventType: string | undefined): Shape {
  const form = formOf(shape);
  if (form.form === 'list') return itemOf(form.items, eventType);
  return form.form === 'kinds' ? (form.kinds.get(eventType ?? '') ?? {}) : shape;
}

const DATA = 'events.data';
/** The event of a row and its data are always written, be they empty. */
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

/** `a.b.c` → `a`, `a.b`, `a.b.c`. */
function withPlacesOf(path: string): readonly string[] {
  const steps = path.split('.');
  return steps.map((_, index) => steps.slice(0, index + 1).join('.'));
}

/** A touched object asks for the same whichever kind of event it is in. */
function needsOf(place: string, eventType: string | undefined): readonly Choice[] {
  if (eventType !== undefined || !place.startsWith('events')) return requiredFields(place, eventType);
  return place === DATA ? [] : EVENT_TYPES.flatMap((kind) => requiredFields(place, kind));
}
