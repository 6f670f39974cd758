// Callbacks and the log of their attempts. One row for each status and URL; columns without personal data stay as a record.
import { sql } from 'drizzle-orm';
import { bigint, foreignKey, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const workspaceId = () => bigint('workspace_id', { mode: 'bigint' }).notNull();
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const dsrCallbacks = pgTable(
  'dsr_callbacks',
  {
    workspaceId: workspaceId(),
    id: bigint('id', { mode: 'bigint' }).generatedAlwaysAsIdentity(),
    requestId: uuid('request_id').notNull(),
    /** Status that the callback reports. */
    requestStatus: text('request_status').notNull(),
    /** Origin of the URL, `https://host:port`, kept for the record. */
    receiver: text('receiver').notNull(),
    /** Whole URL; its path and query may hold personal data. Null once dropped. */
    url: text('url'),
    /** State of the request when the callback was queued, JSON text; null once dropped. */
    snapshot: text('snapshot'),
    /** Body of every attempt, stored before the first one; null before that and once dropped. */
    body: text('body'),
    queuedOn: time('queued_on').notNull(),
    /**
     * Due time of the next attempt; null where none follows. During an attempt, the time at which the attempt counts as lost.
     */
    nextAttemptOn: time('next_attempt_on'),
    /** Number of the last attempt in the log. */
    attempts: integer('attempts').notNull().default(0),
    /** Attempts of the queue that failed; they set the wait before the next one. */
    failures: integer('failures').notNull().default(0),
    deliveredOn: time('delivered_on'),
    gaveUpOn: time('gave_up_on'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index('dsr_callbacks_by_request').on(table.workspaceId, table.requestId),
    index('dsr_callbacks_by_attempt').on(table.nextAttemptOn).where(sql`next_attempt_on IS NOT NULL`),
    index('dsr_callbacks_to_drop').on(table.gaveUpOn).where(sql`gave_up_on IS NOT NULL AND url IS NOT NULL`),
  ],
);

export const dsrCallbackAttempts = pgTable(
  'dsr_callback_attempts',
  {
    workspaceId: workspaceId(),
    callbackId: bigint('callback_id', { mode: 'bigint' }).notNull(),
    attempt: integer('attempt').notNull(),
    startedOn: time('started_on').notNull(),
    /** End of the attempt; null while under way, and where the daemon went down. */
    endedOn: time('ended_on'),
    /** HTTP status of the answer; null without an answer. */
    status: integer('status'),
    /** Reason why the attempt delivered nothing; null for a delivery. */
    error: text('error'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.callbackId, table.attempt] }),
    foreignKey({
      name: 'dsr_callback_attempts_of_callback',
      columns: [table.workspaceId, table.callbackId],
      foreignColumns: [dsrCallbacks.workspaceId, dsrCallbacks.id],
    }).onDelete('cascade'),
  ],
);
