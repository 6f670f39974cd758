// One row per batch with its whole text. The table is partitioned by month of receipt, which drizzle does not support: the
// migration says so by hand, and `keep-partitions.ts` makes the months.
import { bigint, index, pgTable, primaryKey, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core';

export const eventBatches = pgTable(
  'event_batches',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    /** MPID of the batch's person; 0 when the batch names nobody. */
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    receivedOn: timestamp('received_on', { withTimezone: true, precision: 3 }).notNull(),
    /** Id made by the log, unique in a workspace; the batch's own `batch_id` is up to its sender. */
    id: bigint('id', { mode: 'bigint' }).notNull(),
    /** 0 production, 1 development. */
    environment: smallint('environment').notNull(),
    /** The batch as one JSON object, `mpid` and `batch_id` in front. */
    text: text('text').notNull(),
    /** The pipeline that brought it; null: no pipeline did. */
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }),
    /** The key of the input or feed that it came in with, or of the feed that its pipeline names; null: neither. */
    inputKey: text('input_key'),
  },
  (table) => [
    // of a person's batches the newest are read first, and all are erased together
    primaryKey({ columns: [table.workspaceId, table.mpid, table.receivedOn, table.id] }),
    // for exports. Batches of one delivery have one time and share an entry: 7 bytes and 1 µs of PostgreSQL a batch, where
    // with the id behind it they would be 56 and 2
    index('event_batches_by_time').on(table.workspaceId, table.receivedOn),
  ],
);

/** Time up to which exports may read the log of a workspace (`settle-log.ts`). No row: nobody has exported yet. */
export const logHorizons = pgTable('log_horizons', {
  workspaceId: bigint('workspace_id', { mode: 'bigint' }).primaryKey(),
  /** Time after which every delivery that begins now receives its batches. */
  announced: timestamp('announced', { withTimezone: true, precision: 3 }).notNull(),
  /** Time up to which all received batches are committed; null: unknown. */
  settled: timestamp('settled', { withTimezone: true, precision: 3 }),
});

/** Request ids of senders, kept for 30 days: `source_request_id` deduplicates per key and environment. */
export const batchRequests = pgTable(
  'batch_requests',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    /** The first 16 bytes of a hash of key, environment and id. */
    hash: uuid('hash').notNull(),
    receivedOn: timestamp('received_on', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.hash] }),
    index('batch_requests_by_time').on(table.workspaceId, table.receivedOn),
  ],
);

/** Batches of bulk requests that were refused, for the operator to see. */
export const rejectedBatches = pgTable(
  'rejected_batches',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    id: bigint('id', { mode: 'bigint' }).notNull(),
    receivedOn: timestamp('received_on', { withTimezone: true, precision: 3 }).notNull(),
    /** Key of the input or feed with which it came in. */
    key: text('key').notNull(),
    /** Path of the request. */
    path: text('path').notNull(),
    /** Issues of the batch: JSON text, a list of `{path, message}`. */
    errors: text('errors').notNull(),
    /** The batch as received, JSON text; null: too large to be kept. */
    text: text('text'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index('rejected_batches_by_time').on(table.workspaceId, table.receivedOn),
  ],
);
