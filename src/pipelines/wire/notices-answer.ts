import type { Static } from 'typebox';
import type { Worded } from '../../kernel/index.ts';
import type { Notices } from '../contract/shared.ts';

/** Returns the entries of `errors` or `warnings` as the API answers them. Null gives an empty list. */
export function noticesAnswer(notices: readonly Worded[] | null): Static<typeof Notices> {
  return (notices ?? []).map(({ message }) => ({ message }));
}
