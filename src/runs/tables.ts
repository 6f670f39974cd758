// What a run leaves behind besides its own row: the rows it could not keep, and which rows it has taken.
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
    /** The whole row as JSON text, column → cell, for people. */
    row: text('row').notNull(),
    /** Its cells exactly (`cells-text.ts`), for a retry; null: its run gave up, so the next one reads the row again. */
    cells: text('cells'),
    /** Which of the run's `failed_columns` the row has. */
    columnsId: integer('columns_id'),
    field: text('field').notNull(),
    value: text('value'),
    /** The rule it broke, one of a list: `identity_missing`, `value_not_finite` … */
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
    /** The run that kept the rows. It may go before this one. */
    failedRunId: bigint('failed_run_id', { mode: 'bigint' }).notNull(),
    /** Ids of the records, JSON text; null: all that were not retried yet. */
    ids: text('ids'),
    /** When the run that read the rows from the warehouse began: what has no time of its own was set then. */
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
 * The resume ledger (D-096): one row per delivered chunk, with 16 bytes for each of its rows, in no order. It belongs
 * to one logical delivery, so the generation of the pipeline is part of its key.
 */
export const runChunks = pgTable(
  'run_chunks',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }).notNull(),
    generation: integer('generation').notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    /** Rows that the run had counted before this chunk, which grows over all its attempts. */
    afterRows: bigint('after_rows', { mode: 'bigint' }).notNull(),
    /** Rows that this chunk took, whatever became of them. */
    delivered: bytea('delivered').notNull(),
    /** Rows that it left out because another run had taken them; empty once the run is over. */
    deduplicated: bytea('deduplicated').notNull(),
    /** The iterator of each of its rows lies before this: text with microseconds; null: of a full run, or not known. */
    endsBefore: text('ends_before'),
    /** Names of the columns that the hashes are of, in order, JSON text; null: an earlier Penstock did not keep them. */
    columns: text('columns'),
    /** Types of these columns (`RowHash.types`); null: an earlier Penstock did not keep them. */
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

/** How many rows of a pipeline's model have no iterator value: a run counts them, and those of the next day go by that. */
export const nullIteratorCounts = pgTable(
  'null_iterator_counts',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }).notNull(),
    /** Digest of connection, query and iterator: of others the count says nothing. */
    question: text('question').notNull(),
    /** null: the count took too long. */
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

/** One row a workspace: claims and ends of its runs take it one after the other. A row, so it holds on every node. */
export const claimLocks = pgTable('claim_locks', {
  workspaceId: bigint('workspace_id', { mode: 'bigint' }).primaryKey(),
});

/** Keys whose rows a write-back left as they are, because something had changed; readable like failed records. */
export const writeBackConflicts = pgTable(
  'write_back_conflicts',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    id: bigint('id', { mode: 'bigint' }).notNull(),
    /** JSON text, column → value. */
    key: text('key').notNull(),
    /** What would have been written. */
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    foundMpid: bigint('found_mpid', { mode: 'bigint' }),
    /** `changed`, `gone`, `ambiguous`. */
    reason: text('reason').notNull(),
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
 * Tables that may hold MPIDs which a run of the pipeline has written, and where they are. A row outlives its pipeline: what
 * stands in the customer's table does, too.
 */
export const writtenBackTables = pgTable(
  'written_back_tables',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    id: bigint('id', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }).notNull(),
    /** The slug, for people. */
    pipelineId: text('pipeline_id').notNull(),
    connectionId: text('connection_id').notNull(),
    /** Where the connection led (`placeOf`): a PUT may lead it elsewhere. */
    place: text('place').notNull(),
    /** As the model names it; empty: an earlier Penstock wrote, and the pipeline's next run knows where. */
    tableName: text('table_name').notNull(),
    /** Its column of MPIDs, JSON text of `Column`. */
    mpid: text('mpid').notNull(),
    since: timestamp('since', { withTimezone: true, precision: 3 }).notNull(),
    /** Run that may have left a staging table behind; null: none has, or it ends with its session. */
    stagedBy: bigint('staged_by', { mode: 'bigint' }),
    /** When a look first found it lost, if none has found it since; null: it is there, as far as anybody knows. */
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
