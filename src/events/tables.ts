// One row a batch, its text whole. The table is partitioned by month of receipt, which drizzle does not know: the migration
// says it by hand, and `keep-partitions.ts` makes the months.
import { bigint, index, pgTable, primaryKey, smallint, text, timestamp } from 'drizzle-orm/pg-core';

export const eventBatches = pgTable(
  'event_batches',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    /** 0: of a batch that names nobody. */
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    receivedOn: timestamp('received_on', { withTimezone: true, precision: 3 }).notNull(),
    /** Made by the log, so that two batches never meet; the batch's own `batch_id` is what its sender says. */
    id: bigint('id', { mode: 'bigint' }).notNull(),
    /** 0 production, 1 development. */
    environment: smallint('environment').notNull(),
    /** The batch as one JSON object, `mpid` and `batch_id` in front. */
    text: text('text').notNull(),
    /** The pipeline that brought it; null: no pipeline did. */
    pipelineNumber: bigint('pipeline_number', { mode: 'bigint' }),
    /** The key of the input or feed that brought it; null: a pipeline did. */
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

/** How far exports may read the log of a workspace (`settle-log.ts`). No row: nobody has exported yet. */
export const logHorizons = pgTable('log_horizons', {
  workspaceId: bigint('workspace_id', { mode: 'bigint' }).primaryKey(),
  /** Whoever keeps batches from now on receives them after this. */
  announced: timestamp('announced', { withTimezone: true, precision: 3 }).notNull(),
  /** All that was received up to here is committed; null: nobody knows. */
  settled: timestamp('settled', { withTimezone: true, precision: 3 }),
});
