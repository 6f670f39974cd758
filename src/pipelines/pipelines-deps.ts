import type { Ceilings } from '../access/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, KeyRing, WorkspaceId } from '../kernel/index.ts';
import type { Sql, Store } from '../store/index.ts';
import type { ConnectorEnvironment, Fleet } from '../warehouse/index.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

/** What the verbs of this room work with. */
export interface PipelinesDeps {
  readonly store: Store;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  /** The most that the operator allows as limits of a workspace. */
  readonly ceilings: Ceilings;
  readonly fleet: Fleet;
  readonly connectorEnvironment: (workspaceId: WorkspaceId) => ConnectorEnvironment;
  /** How long a call of the API waits for a warehouse, all in all. */
  readonly warehouseWaitMs: number;
  /** Whether rows beyond the position were delivered, which the next run recognises; the engine knows. */
  readonly isLedgerAhead: (sql: Sql, pipeline: Pipeline) => Promise<boolean>;
}
