// Connections, data models, field transformations, pipelines and runs as resources. The slug of the API is `id`; a pipeline also has a number of
// its own, so that a slug can be used again after a DELETE while old runs stay readable.
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
    /** `new`, `active`, `inactive`. */
    state: text('state').notNull(),
    provider: text('provider').notNull(),
    /** Configuration as JSON text; secret fields hold their encrypted text. */
    config: text('config').notNull(),
    /** Why it is faulted, JSON text `[{message}]`; null: healthy. */
    fault: text('fault'),
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
    state: text('state').notNull(),
    sqlQuery: text('sql_query').notNull(),
    /** The load timestamp that pipelines may follow, JSON text of `LoadTimestamp`; null: the model has none. */
    loadTimestamp: text('load_timestamp'),
    /** Why it is invalid, JSON text `[{message}]`; null: valid. */
    fault: text('fault'),
    /** What was noticed when it was saved, JSON text `[{message}]`. */
    warnings: text('warnings').notNull().default('[]'),
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
    /** `user_attributes` or `events`. */
    pipelineType: text('pipeline_type').notNull(),
    /** All three are null once the pipeline is deleted, so that what it used can be deleted too. */
    connectionId: text('connection_id'),
    dataModelId: text('data_model_id'),
    /** Of an events pipeline; null for the others. */
    fieldTransformationId: text('field_transformation_id'),
    /** `new`, `active`, `paused`. */
    state: text('state').notNull(),
    environment: text('environment').notNull(),
    /** sync_mode, schedule, and the fields that are only kept, each as JSON text of its record in `pipeline.ts`. */
    syncMode: text('sync_mode').notNull(),
    schedule: text('schedule').notNull(),
    kept: text('kept').notNull(),
    /** Why it is faulted, JSON text `[{message}]`; null: not. */
    fault: text('fault'),
    /** Hints that do no harm but are worth reading, JSON text `[{message}]`. */
    warnings: text('warnings').notNull(),
    /** End of the last range that was delivered, text with microseconds; null: nothing yet. */
    position: text('position'),
    /** From here on the engine knows each row that was delivered; text with microseconds; null: from the beginning. */
    ledgerFrom: text('ledger_from'),
    /** Nominal end of the newest interval for which a run was made; `once`: that it ran. */
    scheduledUntil: time('scheduled_until'),
    /** When the scheduler makes the next run; null: nothing is due. */
    nextDueAt: time('next_due_at'),
    /** Counts resets; a ledger belongs to one of them. */
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
    /** `scheduled` or `manual`. */
    type: text('type').notNull(),
    /** `queued`, `running`, `success`, `failed`, `stopped`, `retrying`. */
    status: text('status').notNull(),
    /** Raised by each claim; every write of the run names it, so a worker taken for dead cannot write. */
    fence: integer('fence').notNull(),
    attempts: integer('attempts').notNull(),
    /** Times that the worker of the run was lost; those attempts do not count as attempts. */
    losses: integer('losses').notNull().default(0),
    /** When a `retrying` run is tried again. */
    retryAt: time('retry_at'),
    errors: text('errors').notNull(),
    warnings: text('warnings').notNull(),
    logicalDate: time('logical_date').notNull(),
    createdOn: time('created_on').notNull(),
    startedOn: time('started_on'),
    endedOn: time('ended_on'),
    /** Nominal end the scheduler or the trigger gave, text with microseconds; null: no bound (full). */
    nominalEnd: text('nominal_end'),
    /** The range as fixed by the first attempt, text with microseconds. */
    rangeStart: text('range_start'),
    rangeEnd: text('range_end'),
    /** Snapshot of pipeline, model, transformation, connection (encrypted secrets) taken at the start and kept over attempts, JSON text. */
    snapshot: text('snapshot'),
    extractedRecords: bigint('extracted_records', { mode: 'bigint' }).notNull(),
    successfulRecords: bigint('successful_records', { mode: 'bigint' }).notNull(),
    failedRecords: bigint('failed_records', { mode: 'bigint' }).notNull(),
    deduplicatedRecords: bigint('deduplicated_records', { mode: 'bigint' }).notNull(),
    erasedRecords: bigint('erased_records', { mode: 'bigint' }).notNull(),
    /** People or event batches that it delivered. */
    deliveredUnits: bigint('delivered_units', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Rows whose time lay in the future: their attributes count as set when the run began. */
    aheadRecords: bigint('ahead_records', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Who triggered it, or asked for its retry; null: the schedule alone. */
    requestedBy: text('requested_by'),
    /** Of a run that writes MPIDs back: rows of the table that it changed, and those that it left because of a conflict. */
    writtenRecords: bigint('written_records', { mode: 'bigint' }),
    conflictingRecords: bigint('conflicting_records', { mode: 'bigint' }),
    /** The trigger's Idempotency-Key: the same key within a day answers the same run. */
    idempotencyKey: text('idempotency_key'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex('pipeline_runs_live')
      .on(table.workspaceId, table.pipelineNumber)
      .where(sql`status IN ('queued', 'running', 'retrying')`),
    index('pipeline_runs_by_pipeline').on(table.workspaceId, table.pipelineNumber, table.createdOn, table.id),
    // for what waits on a connection, the oldest first
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
