import type { Clock, KeyRing } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

/** Dependencies of the verbs of this room. */
export interface AccessDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
}

/** Actor of a change: a client id, or `cli:<user>`. */
export type Actor = string;

export const timeOf = (clock: Clock): Date => new Date(clock.nowMs());
