// Callbacks and the log of their attempts. One row for each status and URL; what names nobody stays as a record.
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
    /** The status that the callback tells of. */
    requestStatus: text('request_status').notNull(),
    /** Origin of the URL, which stays for the record: `https://host:port`. */
    receiver: text('receiver').notNull(),
    /** With path and query, which may say more than ours; null: dropped. */
    url: text('url'),
    /** What the request was like at that moment, JSON text; null: dropped. */
    snapshot: text('snapshot'),
    /** What every attempt sends, written before the first one; null: not yet, or dropped. */
    body: text('body'),
    queuedOn: time('queued_on').notNull(),
    /** Null: nothing more is tried. While an attempt is under way, when it counts as lost. */
    nextAttemptOn: time('next_attempt_on'),
    /** Numbers of the log. */
    attempts: integer('attempts').notNull().default(0),
    /** Attempts of the queue that ended without delivery: they decide how long the next one waits. */
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
    /** Null: under way, or the daemon that made it went down. */
    endedOn: time('ended_on'),
    /** HTTP status of the answer; null: there was none. */
    status: integer('status'),
    /** Why it is no delivery; null: it is one. */
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
