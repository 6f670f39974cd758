// A pipeline as the code knows it, read from its row. Instants are text as they were saved (UTC, `Z`), durations as written.
import type { InferSelectModel } from 'drizzle-orm';
import { instantFromStore, type Micros, type Worded, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { IteratorType } from '../../warehouse/index.ts';
import type { pipelines } from '../tables.ts';

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
  /** The name as it was given, an alias perhaps: it is what GET answers. */
  readonly declaredType: string;
  /** IANA zone of a zone-less column; absent: UTC. */
  readonly timeZone?: string;
}

export interface SyncMode {
  readonly type: 'incremental' | 'full';
  /** Always there when incremental. */
  readonly iterator?: Iterator;
  readonly from?: string;
  readonly until?: string;
  readonly lookback?: string;
}

export interface Schedule {
  readonly type: 'interval' | 'once' | 'on_demand';
  /** Both always there for an interval. */
  readonly frequency?: Frequency;
  readonly start?: string;
  readonly delay?: string;
  readonly end?: string;
}

/** The data plan that the batches of a pipeline name. */
export interface DataPlan {
  readonly id: string;
  /** Digits, as text or number, as it was given. */
  readonly version?: string | number;
}

/** What is kept of a pipeline beside its body. */
export interface PipelineMarks {
  /** Its iterator and delay are those of its model's load timestamp, until a PUT gives it others. */
  readonly followsModel?: true;
  /** A draft (state `new`) that is active as soon as it is no draft any more. */
  readonly isActiveDraft?: true;
}

/** Optional fields that nothing in the store is looked up by. */
export interface KeptFields extends PipelineMarks {
  /** Digits of the feed that the data belong to: its runs need it active. */
  readonly partnerFeedId?: string;
  /** Its key, encrypted, where the pipeline names the feed by that. */
  readonly partnerFeedKey?: string;
  readonly dataPlan?: DataPlan;
  /** Columns that make a row the same row when it is read again (extension). */
  readonly rowKey?: readonly string[];
}

export interface Pipeline extends Audit {
  readonly workspaceId: WorkspaceId;
  /** Its own for ever; the slug can be used again after a DELETE. */
  readonly number: bigint;
  readonly id: string;
  readonly name: string;
  readonly pipelineType: PipelineType;
  /** Empty once the pipeline is deleted. */
  readonly connectionId: string;
  readonly dataModelId: string;
  /** Of an events pipeline only. */
  readonly fieldTransformationId: string | null;
  readonly state: PipelineState;
  readonly environment: 'production' | 'development';
  readonly syncMode: SyncMode;
  readonly schedule: Schedule;
  readonly kept: KeptFields;
  /** Why it is faulted; null: it is not. */
  readonly fault: readonly Notice[] | null;
  readonly warnings: readonly Notice[];
  /** End of the last range that was delivered. */
  readonly position: Micros | null;
  /** A lookback reaches no further back: only from here on is it known which rows were delivered; null: no limit. */
  readonly ledgerFrom: Micros | null;
  readonly scheduledUntilMs: number | null;
  readonly nextDueAtMs: number | null;
  readonly generation: number;
  readonly failedInARow: number;
  readonly latestSuccessfulRunId: bigint | null;
  readonly deletedOn: Date | null;
}

/** As `Pipeline`, from the table's row: JSON columns read, instants as micros or ms. */
export function pipelineFromRow(row: InferSelectModel<typeof pipelines>): Pipeline {
  return {
    workspaceId: workspaceId(row.workspaceId),
    number: row.number,
    id: row.id,
    name: row.name,
    pipelineType: row.pipelineType as PipelineType,
    connectionId: row.connectionId ?? '',
    dataModelId: row.dataModelId ?? '',
    fieldTransformationId: row.fieldTransformationId,
    state: row.state as PipelineState,
    environment: row.environment as Pipeline['environment'],
    syncMode: JSON.parse(row.syncMode) as SyncMode,
    schedule: JSON.parse(row.schedule) as Schedule,
    kept: JSON.parse(row.kept) as KeptFields,
    fault: noticesFromStore(row.fault),
    warnings: noticesFromStore(row.warnings) ?? [],
    position: row.position === null ? null : instantFromStore(row.position),
    ledgerFrom: row.ledgerFrom === null ? null : instantFromStore(row.ledgerFrom),
    scheduledUntilMs: row.scheduledUntil?.getTime() ?? null,
    nextDueAtMs: row.nextDueAt?.getTime() ?? null,
    generation: row.generation,
    failedInARow: row.failedInARow,
    latestSuccessfulRunId: row.latestSuccessfulRunId,
    deletedOn: row.deletedOn,
    createdOn: row.createdOn,
    createdBy: row.createdBy,
    lastModifiedOn: row.lastModifiedOn,
    lastModifiedBy: row.lastModifiedBy,
  };
}

/** `[{message}]` from its JSON text; null stays null. */
export function noticesFromStore(text: string | null): readonly Notice[] | null {
  return text === null ? null : (JSON.parse(text) as readonly Notice[]);
}
