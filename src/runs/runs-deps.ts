import type { Ceilings } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import type { Identities } from '../identity/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, KeyRing, Log, Random, Secret, WorkspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { ConnectorEnvironment, Fleet } from '../warehouse/index.ts';
import type { Counts } from './lifecycle/held-run.ts';

/** Settings of the worker. The limits apply over all daemons. */
export interface EngineSettings {
  /** Runs that this daemon works on at the same time. 0: it schedules and sweeps only. */
  readonly workers: number;
  readonly workspaceRuns: number;
  readonly connectionRuns: number;
  readonly chunkRows: number;
  readonly runAttempts: number;
  /** Time after which a running run is requeued at the border of a chunk. It resumes at its position. */
  readonly runHoldMs: number;
  /** Most keys that a write-back stages together. Default: 250,000, about 40 MB of them. */
  readonly portionKeys?: number;
}

/** An observer of events for metrics. No work waits for it. */
export interface RunObserver {
  /** Reports the end of an attempt. `status` is the run's new one; a requeued run is `queued`. */
  runEnded(status: string): void;
  /** Reports the delivered rows of one chunk. */
  rowsDelivered(counts: Omit<Counts, 'extracted'>): void;
}

/** Dependencies of the worker in this room. */
export interface RunsDeps {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly identities: Identities;
  readonly events: Events;
  readonly fleet: Fleet;
  readonly keyRing: KeyRing;
  /** Key of the hashes by which rows are recognised. It never changes. */
  readonly ledgerKey: Secret;
  readonly connectorEnvironment: (workspaceId: WorkspaceId) => ConnectorEnvironment;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: EngineSettings;
  /** Upper bounds that the operator sets for limits of a workspace. */
  readonly ceilings: Ceilings;
  readonly observer: RunObserver;
}
