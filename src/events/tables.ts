// One row a batch, its text whole. The table is partitioned by month of receipt, which drizzle does not know: the migration
// says it by hand, and `keep-partitions.ts` makes the months.
import { bigint, pgTable, primaryKey, smallint, text, timestamp } from 'drizzle-orm/pg-core';

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
  },
  // the one index: of a person's batches the newest are read first, and all are erased together
  (table) => [primaryKey({ columns: [table.workspaceId, table.mpid, table.receivedOn, table.id] })],
);
