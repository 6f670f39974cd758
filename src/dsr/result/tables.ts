// Files of access and portability requests, in the store, so that every daemon can answer them. A file is there once its
// row says so; parts of one that was given up are seen by nobody, and go.
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
    /** One an attempt: a worker that was taken for dead never writes into the file of another. */
    fileId: bigint('file_id', { mode: 'bigint' }).notNull(),
    /** `writing`, `ready`, `dropping` (nobody sees it any more, and its parts go), `dropped`. */
    state: text('state').notNull(),
    /** Whose data it holds, so that an erasure finds it; empty once it is dropped. */
    mpids: bigint('mpids', { mode: 'bigint' }).array().notNull(),
    startedOn: time('started_on').notNull(),
    /** Null until it is ready. */
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
    /** From 0. */
    part: integer('part').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.fileId, table.part] })],
);
