import type { Events } from '../events/index.ts';
import type { Identities } from '../identity/index.ts';
import type { Store } from '../store/index.ts';
import type { WarehouseDeps } from '../sync/index.ts';

/** What the endpoints of this room work with. */
export interface EndpointDeps extends WarehouseDeps {
  readonly store: Store;
  readonly identities: Identities;
  readonly events: Events;
}
