// A pipeline as the code knows it. Instants are text as they were saved (UTC, `Z`), durations as written.
import type { Micros, Worded, WorkspaceId } from '../../kernel/index.ts';
import type { IteratorType } from '../../warehouse/index.ts';

/** One entry of `errors` or `warnings`. */
export type Notice = Worded;

export interface Audit {
  readonly createdOn: Date;
  readonly createdBy: string;
  readonly lastModifiedOn: Date | null;
  readonly lastModifiedBy: string | null;
}

export type PipelineType = 'user_attributes' | 'events';
export type PipelineState = 'new' | 'active' | 'paused';
export type Frequency = 'hourly' | 'daily' | 'weekly' | 'monthly';

export interface Iterator {
  readonly field: string;
  readonly type: IteratorType;
  /** The name as the caller sent it, possibly an alias. GET returns it. */
  readonly declaredType: string;
  /** IANA zone of a column without a zone. Absent: UTC. */
  readonly timeZone?: string;
}

export interface SyncMode {
  readonly type: 'incremental' | 'full';
  /** Iterator; always present when incremental. */
  readonly iterator?: Iterator;
  readonly from?: string;
  readonly until?: string;
  readonly lookback?: string;
}

export interface Schedule {
  readonly type: 'interval' | 'once' | 'on_demand';
  /** Frequency and start; both always present for an interval. */
  readonly frequency?: Frequency;
  readonly start?: string;
  readonly delay?: string;
  readonly end?: string;
}

/** The data plan that the batches of a pipeline name. */
export interface DataPlan {
  readonly id: string;
  /** Version as the caller sent it: digits, as text or number. */
  readonly version?: string | number;
}

/** Facts about a pipeline that its body does not express. */
export interface PipelineMarks {
  /** Its iterator and delay are those of its model's load timestamp, until a PUT sets others. */
  readonly followsModel?: true;
  /** A draft (state `new`) that becomes active when it stops being a draft. */
  readonly isActiveDraft?: true;
}

/** Optional fields by which nothing in the store is looked up. */
export interface KeptFields extends PipelineMarks {
  /** Digits of the id of the feed that the data belong to. Runs require it to be active. */
  readonly partnerFeedId?: string;
  /** Encrypted key of the feed, where the pipeline names the feed by key. */
  readonly partnerFeedKey?: string;
  readonly dataPlan?: DataPlan;
  /** Columns that identify a row when it is read again (extension). */
  readonly rowKey?: readonly string[];
}

export interface Pipeline extends Audit {
  readonly workspaceId: WorkspaceId;
  /** Number of the pipeline, never reused; the slug can be used again after a DELETE. */
  readonly number: bigint;
  readonly id: string;
  readonly name: string;
  readonly pipelineType: PipelineType;
  /** Empty once the pipeline is deleted. */
  readonly connectionId: string;
  readonly dataModelId: string;
  /** Transformation of an events pipeline; null for other types. */
  readonly fieldTransformationId: string | null;
  readonly state: PipelineState;
  readonly environment: 'production' | 'development';
  readonly syncMode: SyncMode;
  readonly schedule: Schedule;
  readonly kept: KeptFields;
  /** Reasons of the fault. Null: not faulted. */
  readonly fault: readonly Notice[] | null;
  readonly warnings: readonly Notice[];
  /** End of the last delivered range. */
  readonly position: Micros | null;
  /** Earliest instant to which a lookback reaches, because delivered rows are only known from there on. Null: no limit. */
  readonly ledgerFrom: Micros | null;
  readonly scheduledUntilMs: number | null;
  readonly nextDueAtMs: number | null;
  readonly generation: number;
  readonly failedInARow: number;
  readonly latestSuccessfulRunId: bigint | null;
  readonly deletedOn: Date | null;
}
