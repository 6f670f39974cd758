import { fieldPath, type Json } from '../../kernel/index.ts';
import type { Steps } from './compile-lines.ts';

/** A batch that is being made. */
export interface Draft {
  [field: string]: unknown;
}

/** Origins of a batch's values: paths in the call by paths in the batch. */
export type Origins = Map<string, string>;

export const pathOf = (steps: Steps): string => steps.reduce<string>(fieldPath, '');

/** Sets a value and makes the objects and lists on the way. The steps come from the tables, never from a caller. */
export function setAt(draft: Draft, steps: Steps, value: unknown): void {
  let holder: Draft = draft;
  steps.forEach((step, at) => {
    if (at === steps.length - 1) holder[step] = value;
    else {
      holder[step] ??= typeof steps[at + 1] === 'number' ? [] : {};
      holder = holder[step] as Draft;
    }
  });
}

/** Adds a caller's own free keys to an object. Keys that it already has stay as they are. */
export function addFree(draft: Draft, steps: Steps, entries: readonly (readonly [string, Json])[]): void {
  if (entries.length === 0) return;
  const there = steps.reduce<unknown>((holder, step) => (holder as Draft | undefined)?.[step], draft) as
    | Draft
    | undefined;
  // fromEntries makes every name an own field, __proto__ too
  setAt(draft, steps, Object.fromEntries([...entries, ...Object.entries(there ?? {})]));
}
