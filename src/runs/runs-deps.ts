import type { Ceilings } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import type { Identities } from '../identity/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, KeyRing, Log, Random, Secret, WorkspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { ConnectorEnvironment, Fleet } from '../warehouse/index.ts';
import type { Counts } from './lifecycle/held-run.ts';

/** Settings of the worker; limits hold over all daemons. */
export interface EngineSettings {
  /** Runs this daemon works on at the same time; 0: it schedules and sweeps, and works on none. */
  readonly workers: number;
  readonly workspaceRuns: number;
  readonly connectionRuns: number;
  readonly chunkRows: number;
  readonly runAttempts: number;
  /** A run that has been worked on for so long goes back to the queue at the border of a chunk. */
  readonly runHoldMs: number;
}

/** What happened, for metrics. Nothing waits for an observer. */
export interface RunObserver {
  /** `status` is the run's new one; a run that goes back to the queue is `queued`. */
  runEnded(status: string): void;
  /** Rows of one chunk that were delivered. */
  rowsDelivered(counts: Omit<Counts, 'extracted'>): void;
}

/** What the verbs of this room work with. */
export interface RunsDeps {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly identities: Identities;
  readonly events: Events;
  readonly fleet: Fleet;
  readonly keyRing: KeyRing;
  /** Of the hashes by which rows are recognised; it never changes. */
  readonly ledgerKey: Secret;
  readonly connectorEnvironment: (workspaceId: WorkspaceId) => ConnectorEnvironment;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: EngineSettings;
  /** The most that the operator allows as limits of a workspace. */
  readonly ceilings: Ceilings;
  readonly observer: RunObserver;
}
