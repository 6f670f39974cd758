import type { Ceilings } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import type { Identities } from '../identity/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { RunTrial, WarehouseDeps } from '../pipelines/index.ts';
import type { Store } from '../store/index.ts';

/** Dependencies of previews and dry runs. */
export interface TrialDeps extends WarehouseDeps {
  readonly store: Store;
  readonly jobs: Pick<Jobs, 'enqueue' | 'cancel'>;
  readonly clock: Clock;
  readonly identities: Identities;
  readonly events: Events;
  /** Upper bounds that the operator sets for limits of a workspace. */
  readonly ceilings: Ceilings;
}

/** Dependencies of the endpoints of this room. */
export interface EndpointDeps extends TrialDeps {
  readonly runTrial: RunTrial;
}
