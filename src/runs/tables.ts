// Data of a run besides its own row: the rows it could not keep, and the rows it has taken.
import {
  bigint,
  customType,
  foreignKey,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { pipelineRuns, pipelines } from '../pipelines/index.ts';

const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

export const failedRecords = pgTable(
  'failed_records',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    id: bigint('id', { mode: 'bigint' }).notNull(),
    /** The whole row as JSON text, column → cell, for display. */
    row: text('row').notNull(),
    /** Exact cells of the row (`cells-text.ts`), for a retry. Null: the run gave up, so the next one reads the row again. */
    cells: text('cells'),
    /** Id of the row's columns among the run's `failed_columns`. */
    columnsId: integer('columns_id'),
    field: text('field').notNull(),
    value: text('value'),
    /** The broken rule, one of a list: `identity_missing`, `value_not_finite` … */
    rule: text('rule').notNull(),
    reason: text('reason').notNull(),
    failedOn: timestamp('failed_on', { withTimezone: true, precision: 3 }).notNull(),
    retriedOn: timestamp('retried_on', { withTimezone: true, precision: 3 }),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.runId, table.id] }),
    foreignKey({
      columns: [table.workspaceId, table.runId],
      foreignColumns: [pipelineRuns.workspaceId, pipelineRuns.id],
    }),
  ],
);

/** Columns of kept rows, so that their cells can be mapped again: one row for each attempt that kept some. */
export const failedColumns = pgTable(
  'failed_columns',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    id: integer('id').notNull(),
    /** JSON text of `Column[]`. */
    columns: text('columns').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.runId, table.id] }),
    foreignKey({
      columns: [table.workspaceId, table.runId],
      foreignColumns: [pipelineRuns.workspaceId, pipelineRuns.id],
    }).onDelete('cascade'),
  ],
);

/** Runs that deliver kept rows of an earlier run again, and read no warehouse. */
export const recordRetries = pgTable(
  'record_retries',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    /** The run that kept the rows. It may be deleted before this one. */
    failedRunId: bigint('failed_run_id', { mode: 'bigint' }).notNull(),
    /** Ids of the records as JSON text. Null: all that were not retried yet. */
    ids: text('ids'),
    /** Start of the run that read the rows from the warehouse: the time of rows that have none of their own. */
    readOn: timestamp('read_on', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.runId] }),
    foreignKey({
      columns: [table.workspaceId, table.runId],
      foreignColumns: [pipelineRuns.workspaceId, pipelineRuns.id],
    }).onDelete('cascade'),
  ],
);

/**
 * The resume ledger (D-096): one row for each delivered chunk, with 16 bytes for each of the chunk's rows, in no order. It
 * belongs to one logical delivery, so the generation of the pipeline is part of its key.
 */
export const runChunks = pgTable(
  'run_chunks',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }).notNull(),
    generation: integer('generation').notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    /** Number of rows that the run had counted before this chunk, over all its attempts. */
    afterRows: bigint('after_rows', { mode: 'bigint' }).notNull(),
    /** Hashes of the rows that this chunk took, whatever their outcome. */
    delivered: bytea('delivered').notNull(),
    /** Hashes of the rows that it skipped because another run had taken them; empty once the run is over. */
    deduplicated: bytea('deduplicated').notNull(),
    /** Instant before which the iterator of all its rows lies, as text with microseconds. Null: a full run, or unknown. */
    endsBefore: text('ends_before'),
    /** Names of the hashed columns, in order, as JSON text. Null: an earlier Penstock did not keep them. */
    columns: text('columns'),
    /** Types of these columns (`RowHash.types`). Null: an earlier Penstock did not keep them. */
    columnTypes: text('column_types'),
  },
  (table) => [
    primaryKey({
      name: 'run_chunks_pk',
      columns: [table.workspaceId, table.pipelineNumber, table.generation, table.runId, table.afterRows],
    }),
    foreignKey({
      columns: [table.workspaceId, table.runId],
      foreignColumns: [pipelineRuns.workspaceId, pipelineRuns.id],
    }),
  ],
);

/**
 * Numbers of rows without an iterator value in a pipeline's model. A run counts them, and runs of the next day use its count.
 */
export const nullIteratorCounts = pgTable(
  'null_iterator_counts',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }).notNull(),
    /** Digest of connection, query and iterator, to which alone the count applies. */
    question: text('question').notNull(),
    /** The count. Null: counting took too long. */
    nulls: bigint('nulls', { mode: 'bigint' }),
    countedOn: timestamp('counted_on', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.pipelineNumber] }),
    foreignKey({
      name: 'null_iterator_counts_pipeline_fk',
      columns: [table.workspaceId, table.pipelineNumber],
      foreignColumns: [pipelines.workspaceId, pipelines.number],
    }).onDelete('cascade'),
  ],
);

/** One row for each workspace, which claims and ends of its runs lock one after the other. A row is locked on every node. */
export const claimLocks = pgTable('claim_locks', {
  workspaceId: bigint('workspace_id', { mode: 'bigint' }).primaryKey(),
});

/** Reason for which a write-back left a row unchanged. */
export type ConflictReason = 'changed' | 'gone' | 'ambiguous';

/** Keys whose rows a write-back skipped, because something had changed. Readable like failed records. */
export const writeBackConflicts = pgTable(
  'write_back_conflicts',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    id: bigint('id', { mode: 'bigint' }).notNull(),
    /** Key as JSON text, column → value. */
    key: text('key').notNull(),
    /** The MPID that would have been written. */
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    foundMpid: bigint('found_mpid', { mode: 'bigint' }),
    reason: text('reason').$type<ConflictReason>().notNull(),
    foundOn: timestamp('found_on', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.runId, table.id] }),
    foreignKey({
      name: 'write_back_conflicts_run_fk',
      columns: [table.workspaceId, table.runId],
      foreignColumns: [pipelineRuns.workspaceId, pipelineRuns.id],
    }).onDelete('cascade'),
  ],
);

/**
 * Tables that may hold MPIDs written by a run of the pipeline, and their places. A row outlives its pipeline, because the MPIDs
 * in the customer's table do too.
 */
export const writtenBackTables = pgTable(
  'written_back_tables',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    id: bigint('id', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }).notNull(),
    /** Slug of the pipeline, for display. */
    pipelineId: text('pipeline_id').notNull(),
    connectionId: text('connection_id').notNull(),
    /** Database to which the connection led (`placeOf`). A PUT may lead it elsewhere. */
    place: text('place').notNull(),
    /** Name of the table in the model. Empty: an earlier Penstock wrote it, and the pipeline's next run fills it in. */
    tableName: text('table_name').notNull(),
    /** Its column of MPIDs, as JSON text of `Column`. */
    mpid: text('mpid').notNull(),
    since: timestamp('since', { withTimezone: true, precision: 3 }).notNull(),
    /** Run that may have left a staging table behind. Null: none has, or staging ends with its session. */
    stagedBy: bigint('staged_by', { mode: 'bigint' }),
    /** Time at which the table was first not found, if it was never found since. Null: as far as known, the table exists. */
    lostSince: timestamp('lost_since', { withTimezone: true, precision: 3 }),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex('written_back_tables_place').on(
      table.workspaceId,
      table.pipelineNumber,
      table.connectionId,
      table.place,
      table.tableName,
    ),
  ],
);

/** MPIDs of erased people that wait to be set to NULL in a table (D-060). */
export const erasedMpids = pgTable(
  'erased_mpids',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    tableId: bigint('table_id', { mode: 'bigint' }).notNull(),
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    erasedOn: timestamp('erased_on', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.tableId, table.mpid] }),
    foreignKey({
      name: 'erased_mpids_table_fk',
      columns: [table.workspaceId, table.tableId],
      foreignColumns: [writtenBackTables.workspaceId, writtenBackTables.id],
    }).onDelete('cascade'),
  ],
);
