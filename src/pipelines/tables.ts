// Connections, data models, field transformations, pipelines and runs as resources. The slug of the API is `id`. A pipeline has also
// its own number, so that a slug can be used again after a DELETE while old runs stay readable.
import { sql } from 'drizzle-orm';
import {
  bigint,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Provider } from '../../connectors/facts.ts';
import { jsonColumn } from '../store/index.ts';
import type { ConnectionConfig } from '../warehouse/index.ts';
import type { ResourceState } from './connections/connection.ts';
import type { LoadTimestamp } from './data-models/load-timestamp.ts';
import type {
  KeptFields,
  Notice,
  Pipeline,
  PipelineState,
  PipelineType,
  Schedule,
  SyncMode,
} from './pipelines/pipeline.ts';
import type { RunStatus, RunType } from './run-rows/run.ts';

const workspaceId = () => bigint('workspace_id', { mode: 'bigint' }).notNull();
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const audit = () => ({
  createdOn: time('created_on').notNull(),
  createdBy: text('created_by').notNull(),
  lastModifiedOn: time('last_modified_on'),
  lastModifiedBy: text('last_modified_by'),
});

export const connections = pgTable(
  'connections',
  {
    workspaceId: workspaceId(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    state: text('state').$type<ResourceState>().notNull(),
    provider: text('provider').$type<Provider>().notNull(),
    /** Configuration, with encrypted secret fields. */
    config: jsonColumn<ConnectionConfig>('config').notNull(),
    /** Reasons of the fault. Null: healthy. */
    fault: jsonColumn<readonly Notice[]>('fault'),
    ...audit(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const dataModels = pgTable(
  'data_models',
  {
    workspaceId: workspaceId(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    state: text('state').$type<ResourceState>().notNull(),
    sqlQuery: text('sql_query').notNull(),
    /** Load timestamp that pipelines may follow. Null: the model has none. */
    loadTimestamp: jsonColumn<LoadTimestamp>('load_timestamp'),
    /** Reasons why it is invalid. Null: valid. */
    fault: jsonColumn<readonly Notice[]>('fault'),
    /** Warnings from saving it. */
    warnings: jsonColumn<readonly Notice[]>('warnings').notNull().default(sql`'[]'`),
    ...audit(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const fieldTransformations = pgTable(
  'field_transformations',
  {
    workspaceId: workspaceId(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    /** `events`. */
    destinationType: text('destination_type').notNull(),
    /** JSON text of `FieldMapping[]`, with all digits of its numbers. */
    mappings: text('mappings').notNull(),
    ...audit(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const pipelines = pgTable(
  'pipelines',
  {
    workspaceId: workspaceId(),
    number: bigint('number', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    pipelineType: text('pipeline_type').$type<PipelineType>().notNull(),
    /** Ids of the used parts. All three are null once the pipeline is deleted, so that the parts can be deleted too. */
    connectionId: text('connection_id'),
    dataModelId: text('data_model_id'),
    /** Transformation of an events pipeline; null for other types. */
    fieldTransformationId: text('field_transformation_id'),
    state: text('state').$type<PipelineState>().notNull(),
    environment: text('environment').$type<Pipeline['environment']>().notNull(),
    syncMode: jsonColumn<SyncMode>('sync_mode').notNull(),
    schedule: jsonColumn<Schedule>('schedule').notNull(),
    kept: jsonColumn<KeptFields>('kept').notNull(),
    /** Reasons of the fault. Null: not faulted. */
    fault: jsonColumn<readonly Notice[]>('fault'),
    /** Harmless but notable hints. */
    warnings: jsonColumn<readonly Notice[]>('warnings').notNull(),
    /** End of the last delivered range, as text with microseconds. Null: nothing was delivered yet. */
    position: text('position'),
    /** Instant from which on the engine knows each delivered row, as text with microseconds. Null: from the beginning. */
    ledgerFrom: text('ledger_from'),
    /** Nominal end of the newest interval for which a run was made. For `once`: the pipeline has run. */
    scheduledUntil: time('scheduled_until'),
    /** Time at which the scheduler makes the next run. Null: nothing is due. */
    nextDueAt: time('next_due_at'),
    /** Number of resets. A ledger belongs to one generation. */
    generation: integer('generation').notNull(),
    failedInARow: integer('failed_in_a_row').notNull(),
    latestSuccessfulRunId: bigint('latest_successful_run_id', { mode: 'bigint' }),
    deletedOn: time('deleted_on'),
    ...audit(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.number] }),
    uniqueIndex('pipelines_by_id').on(table.workspaceId, table.id).where(sql`deleted_on IS NULL`),
    index('pipelines_due').on(table.nextDueAt).where(sql`next_due_at IS NOT NULL`),
    foreignKey({
      columns: [table.workspaceId, table.connectionId],
      foreignColumns: [connections.workspaceId, connections.id],
    }),
    foreignKey({
      columns: [table.workspaceId, table.dataModelId],
      foreignColumns: [dataModels.workspaceId, dataModels.id],
    }),
    foreignKey({
      columns: [table.workspaceId, table.fieldTransformationId],
      foreignColumns: [fieldTransformations.workspaceId, fieldTransformations.id],
    }),
  ],
);

export const pipelineRuns = pgTable(
  'pipeline_runs',
  {
    workspaceId: workspaceId(),
    id: bigint('id', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }).notNull(),
    connectionId: text('connection_id').notNull(),
    type: text('type').$type<RunType>().notNull(),
    status: text('status').$type<RunStatus>().notNull(),
    /**
     * Fencing token, raised by each claim. Every write of the run names it, so a worker that was taken for dead cannot write.
     */
    fence: integer('fence').notNull(),
    attempts: integer('attempts').notNull(),
    /** Number of times that the run's worker was lost. Those attempts do not count as attempts. */
    losses: integer('losses').notNull().default(0),
    /** Time of the next attempt of a `retrying` run. */
    retryAt: time('retry_at'),
    errors: jsonColumn<readonly Notice[]>('errors').notNull(),
    warnings: jsonColumn<readonly Notice[]>('warnings').notNull(),
    logicalDate: time('logical_date').notNull(),
    createdOn: time('created_on').notNull(),
    startedOn: time('started_on'),
    endedOn: time('ended_on'),
    /** Nominal end from the scheduler or the trigger, as text with microseconds. Null: no bound (full). */
    nominalEnd: text('nominal_end'),
    /** The range as fixed by the first attempt, as text with microseconds. */
    rangeStart: text('range_start'),
    rangeEnd: text('range_end'),
    /**
     * Snapshot of pipeline, model, transformation and connection (encrypted secrets), as JSON text. Taken at the start and kept
     * over attempts.
     */
    snapshot: text('snapshot'),
    extractedRecords: bigint('extracted_records', { mode: 'bigint' }).notNull(),
    successfulRecords: bigint('successful_records', { mode: 'bigint' }).notNull(),
    failedRecords: bigint('failed_records', { mode: 'bigint' }).notNull(),
    deduplicatedRecords: bigint('deduplicated_records', { mode: 'bigint' }).notNull(),
    erasedRecords: bigint('erased_records', { mode: 'bigint' }).notNull(),
    /** Number of people or event batches that it delivered. */
    deliveredUnits: bigint('delivered_units', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Number of rows whose time lay in the future. Their attributes count as set when the run began. */
    aheadRecords: bigint('ahead_records', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Actor who triggered it, or requested its requeue. Null: the schedule alone. */
    requestedBy: text('requested_by'),
    /** Rows of the table that a write-back changed, and those that it skipped because of a conflict. */
    writtenRecords: bigint('written_records', { mode: 'bigint' }),
    conflictingRecords: bigint('conflicting_records', { mode: 'bigint' }),
    /** The trigger's Idempotency-Key. The same key within a day returns the same run. */
    idempotencyKey: text('idempotency_key'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex('pipeline_runs_live')
      .on(table.workspaceId, table.pipelineNumber)
      .where(sql`status IN ('queued', 'running', 'retrying')`),
    index('pipeline_runs_by_pipeline').on(table.workspaceId, table.pipelineNumber, table.createdOn, table.id),
    // for runs that wait for a connection, the oldest first
    index('pipeline_runs_waiting')
      .on(table.workspaceId, table.connectionId, table.createdOn, table.id)
      .where(sql`status = 'queued' OR (status = 'retrying' AND retry_at IS NULL)`),
    // for the sweeper and the claim: live runs are few
    index('pipeline_runs_by_status')
      .on(table.status, table.retryAt)
      .where(sql`status IN ('queued', 'running', 'retrying')`),
    foreignKey({
      columns: [table.workspaceId, table.pipelineNumber],
      foreignColumns: [pipelines.workspaceId, pipelines.number],
    }),
  ],
);
