// Lists every path of a batch that a mapping can name, read from the schemas of the batch format.
import { EventBatch } from '../../../src/events/contract/batch.ts';
import { formOf, type Shape, shapeOf } from '../../../src/events/contract/form.ts';

const FREE_KEY = 'some.key';
const INNER_KEY = 'key';

/** Dotted paths of all single values and lists of them for that kind of event, but for the kind itself. */
export function destinationsOf(eventType: string): readonly string[] {
  return leavesBelow(shapeOf(EventBatch), eventType, []).filter(
    (path) => path !== 'events.event_type' && path !== 'user_identities.email',
  );
}

function leavesBelow(shape: Shape, eventType: string, steps: readonly string[]): readonly string[] {
  const form = formOf(shape);
  switch (form.form) {
    case 'leaf':
      return [steps.join('.')];
    case 'anything':
      return [];
    case 'list':
      return leavesBelow(form.items, eventType, steps);
    case 'kinds':
      return leavesBelow(form.kinds.get(eventType) ?? {}, eventType, steps);
    case 'map': {
      const isLast = formOf(form.values).form === 'leaf';
      return leavesBelow(form.values, eventType, [...steps, isLast ? FREE_KEY : INNER_KEY]);
    }
    case 'object':
      return [...form.fields].flatMap(([name, field]) => leavesBelow(field, eventType, [...steps, name]));
  }
}
