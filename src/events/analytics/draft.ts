import { fieldPath, type Json } from '../../kernel/index.ts';
import type { Steps } from './compile-lines.ts';

/** A batch that is being made. */
export interface Draft {
  [field: string]: unknown;
}

/** Where the values of a batch came from: paths in the call by paths in the batch. */
export type Origins = Map<string, string>;

export const pathOf = (steps: Steps): string => steps.reduce<string>(fieldPath, '');

/** Puts a value in its place; objects and lists on the way are made. The steps are those of the tables, never a caller's. */
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

/** Adds free keys, a caller's own, to what stands there; what stands there stays. */
export function addFree(draft: Draft, steps: Steps, entries: readonly (readonly [string, Json])[]): void {
  if (entries.length === 0) return;
  const there = steps.reduce<unknown>((holder, step) => (holder as Draft | undefined)?.[step], draft) as
    | Draft
    | undefined;
  // fromEntries makes every name an own field, __proto__ too
  setAt(draft, steps, Object.fromEntries([...entries, ...Object.entries(there ?? {})]));
}
