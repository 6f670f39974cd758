import type { Ceilings } from '../access/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, KeyRing, WorkspaceId } from '../kernel/index.ts';
import type { Sql, Store } from '../store/index.ts';
import type { ConnectorEnvironment, Fleet } from '../warehouse/index.ts';
import type { RunTrial } from './connections/trial-queue.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

/** Dependencies of the verbs of this room. */
export interface PipelinesDeps {
  readonly store: Store;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  /** Upper bounds that the operator sets for limits of a workspace. */
  readonly ceilings: Ceilings;
  readonly fleet: Fleet;
  readonly connectorEnvironment: (workspaceId: WorkspaceId) => ConnectorEnvironment;
  /** Total time that a call of the API waits for a warehouse. */
  readonly warehouseWaitMs: number;
  /** Returns whether rows beyond the position were delivered, which the next run recognises. Provided by the engine. */
  readonly isLedgerAhead: (sql: Sql, pipeline: Pipeline) => Promise<boolean>;
}

/** Dependencies of the endpoints of this room. */
export interface PipelinesEndpointDeps extends PipelinesDeps {
  /** Runs previews, dry runs, validations and connection tests when their turn comes. */
  readonly runTrial: RunTrial;
}
