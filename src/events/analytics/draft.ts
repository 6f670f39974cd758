import { AppError, fieldPath, type Json } from '../../kernel/index.ts';
import { type Steps, valueAt } from './compile-lines.ts';
import { isFields } from './conversions.ts';

/** A batch that is being made, or a part of it. */
export interface Draft {
  [field: string]: Json;
}

/** Origins of a batch's values: paths in the call by paths in the batch. */
export type Origins = Map<string, string>;

export const pathOf = (steps: Steps): string => steps.reduce<string>(fieldPath, '');

/** Sets a value and makes the objects and lists on the way. The steps come from the tables, never from a caller. */
export function setAt(draft: Draft, steps: Steps, value: Json): void {
  let holder = draft;
  for (const [at, step] of steps.entries()) {
    if (at === steps.length - 1) holder[step] = value;
    else holder = innerOf(holder, step, typeof steps[at + 1] === 'number');
  }
}

/** Returns the object or list at a step, which is made where there is none. */
function innerOf(holder: Draft, step: string | number, isForList: boolean): Draft {
  holder[step] ??= isForList ? [] : {};
  const inner = holder[step];
  if (isHolder(inner)) return inner;
  throw new AppError('INTERNAL', `The analytics tables put a value below ${step}, which is a single value.`);
}

/** Tells whether a value holds others: an object by its fields, or a list by its indexes. */
const isHolder = (value: unknown): value is Draft => typeof value === 'object' && value !== null;

/** Adds a caller's own free keys to an object. Keys that it already has stay as they are. */
export function addFree(draft: Draft, steps: Steps, entries: readonly (readonly [string, Json])[]): void {
  if (entries.length === 0) return;
  const held = valueAt(draft, steps);
  // fromEntries makes every name an own field, __proto__ too
  setAt(draft, steps, Object.fromEntries([...entries, ...Object.entries(isFields(held) ? held : {})]));
}
