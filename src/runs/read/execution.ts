// An attempt of a claimed run, with everything that all its steps share: each is opened once and handed on.
import type { WorkspaceSettings } from '../../access/index.ts';
import type { Connector, Session } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';

/** One attempt of a claimed run. */
export interface Execution {
  readonly claimed: ClaimedRun;
  /** Aborts when the job expires, the run is cancelled or the daemon stops. */
  readonly signal: AbortSignal;
  /** Time after which the attempt ends at the border of a chunk, before its job expires. The run is then requeued. */
  readonly deadlineMs: number;
  /** Settings of the workspace, with the identity settings of the run's snapshot. */
  readonly settings: WorkspaceSettings;
  /** The pipeline's feed, which is active. Undefined: the pipeline names none. */
  readonly feed: PipelineFeed | undefined;
}

export interface PipelineFeed {
  readonly key: string;
  readonly moduleName: string;
}

/** An execution over the warehouse of its connection. */
export interface ConnectedExecution extends Execution {
  readonly connector: Connector;
  /** The database to which the connection leads (`placeOf`). */
  readonly place: string;
  readonly session: Session;
  /** Pipeline and run, for the warehouse's query log. */
  readonly label: Readonly<Record<string, string>>;
}
