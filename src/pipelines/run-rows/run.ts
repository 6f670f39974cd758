import type { WorkspaceId } from '../../kernel/index.ts';
import type { Notice } from '../pipelines/pipeline.ts';

export type RunType = 'scheduled' | 'manual';

/** Statuses of a run. */
export const RUN_STATUSES = ['queued', 'running', 'retrying', 'success', 'failed', 'stopped'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** One run of a pipeline. Ranges and the nominal end are text with microseconds, null where there is no bound. */
export interface Run {
  readonly workspaceId: WorkspaceId;
  readonly id: bigint;
  readonly pipelineNumber: bigint;
  readonly connectionId: string;
  readonly type: RunType;
  readonly status: RunStatus;
  readonly fence: number;
  readonly attempts: number;
  /** Number of times that its worker was lost. */
  readonly losses: number;
  readonly retryAt: Date | null;
  readonly errors: readonly Notice[];
  readonly warnings: readonly Notice[];
  readonly logicalDate: Date;
  readonly createdOn: Date;
  readonly startedOn: Date | null;
  readonly endedOn: Date | null;
  readonly nominalEnd: string | null;
  readonly rangeStart: string | null;
  readonly rangeEnd: string | null;
  readonly extractedRecords: bigint;
  readonly successfulRecords: bigint;
  readonly failedRecords: bigint;
  readonly deduplicatedRecords: bigint;
  readonly erasedRecords: bigint;
  /** Number of people or event batches that it delivered. */
  readonly deliveredUnits: bigint;
  /** Number of rows whose time lay in the future. Their attributes count as set when the run began. */
  readonly aheadRecords: bigint;
  /** Actor who triggered it, or requested its requeue. Null: the schedule alone. */
  readonly requestedBy: string | null;
  /** Number of rows written back. Null: the run writes nothing back, or has not begun to. */
  readonly writtenRecords: bigint | null;
  readonly conflictingRecords: bigint | null;
  readonly idempotencyKey: string | null;
}
