import type { Jobs } from '../jobs/index.ts';
import type { Clock, Log, Secret } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

/** What the definitions work with. */
export interface GroupsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly jobs: Pick<Jobs, 'enqueue'>;
}

/** What a run works with. */
export interface RunDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Key of the identity hashes; what names a group is derived from it. */
  readonly key: Secret;
}
