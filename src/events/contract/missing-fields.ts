import { EventBatch } from './batch.ts';
import { type Form, formOf, type Shape, shapeOf } from './form.ts';

/**
 * Required fields that none of the paths covers (rulings §7, Mapping): `event_type`, those of the kind's data, and those of
 * each optional object or list that a path touches. An object counts as covered when anything in it is. Where one of two
 * fields is enough they stand in one entry: `events.data.screen_name or events.data.event_name`.
 * Without an event type, which then comes with each row, the kind's own required fields are left out. So are paths that are
 * no destinations.
 */
export function missingFields(eventType: string | undefined, paths: readonly string[]): readonly string[] {
  const steps = paths.map((path) => path.split('.'));
  return missing(shapeOf(EventBatch), { steps, eventType, at: '' });
}

/** Steps of a field of `events.data`. */
const DEPTH_OF_DATA = 3;

interface Covered {
  /** What the paths say below the place, each at least one step long. */
  readonly steps: readonly (readonly string[])[];
  readonly eventType: string | undefined;
  readonly at: string;
}

function missing(shape: Shape, covered: Covered): readonly string[] {
  const form = formOf(shape);
  if (form.form === 'list') return missing(form.items, covered);
  if (form.form === 'map') return namesOf(covered).flatMap((name) => missing(form.values, below(covered, name)));
  if (form.form === 'kinds') return missingOfKind(form, covered);
  if (form.form !== 'object') return [];
  const names = namesOf(covered);
  const absent = form.required.filter((name) => !names.includes(name) && !isAlwaysWritten(covered, name));
  const { requiredOneOf } = form;
  const either = requiredOneOf.length > 0 && !requiredOneOf.some((name) => names.includes(name)) ? [requiredOneOf] : [];
  return [
    ...[...absent.map((name) => [name]), ...either].map((choice) =>
      choice.map((name) => pathOf(covered, name)).join(' or '),
    ),
    ...[...form.fields].flatMap(([name, field]) =>
      names.includes(name) || isAlwaysWritten(covered, name) ? missing(field, below(covered, name)) : [],
    ),
  ];
}

/** The event of a row and its `data` are always written, be they empty. */
function isAlwaysWritten({ at }: Covered, name: string): boolean {
  return (at === '' && name === 'events') || (at === 'events' && name === 'data');
}

function missingOfKind({ tag, kinds }: Extract<Form, { form: 'kinds' }>, covered: Covered): readonly string[] {
  const { eventType } = covered;
  if (eventType !== undefined) return missing(kinds.get(eventType) ?? {}, covered);
  const answers = [...kinds.values()].flatMap((kind) => missing(kind, covered));
  // what a kind asks for itself is known with the row; what a touched object asks for is the same whichever kind it is
  const known = answers.filter((path) => path === pathOf(covered, tag) || depthOf(path) > DEPTH_OF_DATA);
  return [...new Set(known)];
}

const depthOf = (path: string): number => path.replace(/ or .*/, '').split('.').length;

const namesOf = ({ steps }: Covered): readonly string[] => [...new Set(steps.flatMap(([name]) => name ?? []))];

function below(covered: Covered, name: string): Covered {
  const steps = covered.steps.filter(([first]) => first === name).map(([, ...rest]) => rest);
  return { ...covered, steps, at: pathOf(covered, name) };
}

const pathOf = ({ at }: Covered, name: string): string => (at === '' ? name : `${at}.${name}`);
