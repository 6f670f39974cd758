import type { Clock, KeyRing } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

/** What the verbs of this room work with. */
export interface AccessDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
}

/** Who does it: a client id, or `cli:<user>`. */
export type Actor = string;

export const timeOf = (clock: Clock): Date => new Date(clock.nowMs());
