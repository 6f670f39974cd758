// Files of access and portability requests. They are kept in the store, so that every daemon can serve them. A file can be
// downloaded once its row is `ready`; parts of an abandoned one are never served and get deleted.
import { sql } from 'drizzle-orm';
import { bigint, customType, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const workspaceId = () => bigint('workspace_id', { mode: 'bigint' }).notNull();
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

export const dsrResultFiles = pgTable(
  'dsr_result_files',
  {
    workspaceId: workspaceId(),
    requestId: uuid('request_id').notNull(),
    /** Id of the attempt's file: a worker that was taken for dead never writes into another's. */
    fileId: bigint('file_id', { mode: 'bigint' }).notNull(),
    /** `writing`, `ready`, `dropping` (hidden, its parts are being deleted) or `dropped`. */
    state: text('state').notNull(),
    /** MPIDs whose data the file holds, by which an erasure finds it; empty once dropped. */
    mpids: bigint('mpids', { mode: 'bigint' }).array().notNull(),
    startedOn: time('started_on').notNull(),
    /** Number of parts; null until the file is ready. */
    parts: integer('parts'),
    sizeBytes: bigint('size_bytes', { mode: 'bigint' }),
    expiresOn: time('expires_on'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.requestId, table.fileId] }),
    index('dsr_result_files_kept').on(table.workspaceId).where(sql`state <> 'dropped'`),
  ],
);

export const dsrResultParts = pgTable(
  'dsr_result_parts',
  {
    workspaceId: workspaceId(),
    fileId: bigint('file_id', { mode: 'bigint' }).notNull(),
    /** Index from 0. */
    part: integer('part').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.fileId, table.part] })],
);
