import type { Jobs } from '../jobs/index.ts';
import type { Clock, Log, Secret } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

/** The dependencies of the definitions. */
export interface GroupsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly jobs: Pick<Jobs, 'enqueue'>;
}

/** The dependencies of a run. */
export interface RunDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Key of the identity hashes; the names of groups are derived from it. */
  readonly key: Secret;
}
