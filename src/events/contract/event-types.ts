import { Event, type EventType } from './event-kinds.ts';
import { formOf, type Shape, shapeOf } from './form.ts';

const form = formOf(shapeOf(Event));

/** The wrapper of each kind of event by its event_type. */
export const EVENT_SHAPES: ReadonlyMap<string, Shape> = form.form === 'kinds' ? form.kinds : new Map();

/** All values of event_type. */
export const EVENT_TYPES = [...EVENT_SHAPES.keys()] as readonly EventType[];

export const isEventType = (name: string): name is EventType => EVENT_SHAPES.has(name);
