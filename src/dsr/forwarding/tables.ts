// Partners that are told of erasures, and what each of them was told (D-068).
import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const workspaceId = () => bigint('workspace_id', { mode: 'bigint' }).notNull();
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const dsrPartners = pgTable(
  'dsr_partners',
  {
    workspaceId: workspaceId(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    domain: text('domain').notNull(),
    url: text('url').notNull(),
    /** How it is signed in there, JSON text; the secret in it is encrypted. */
    auth: text('auth').notNull(),
    /** Names of identity types as requests write them. */
    identityTypes: text('identity_types').array().notNull(),
    createdOn: time('created_on').notNull(),
    createdBy: text('created_by').notNull(),
    lastModifiedOn: time('last_modified_on'),
    lastModifiedBy: text('last_modified_by'),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const dsrForwards = pgTable(
  'dsr_forwards',
  {
    workspaceId: workspaceId(),
    requestId: uuid('request_id').notNull(),
    partnerId: text('partner_id').notNull(),
    /** Of the partner, as they were when the request came in. */
    domain: text('domain').notNull(),
    name: text('name').notNull(),
    /** `pending`, `skipped`, `sent`, `failed`. */
    status: text('status').notNull(),
    /** Why it was skipped or failed; names nobody. */
    message: text('message'),
    /** What the partner answered, which may name the person; null: nothing, or dropped. */
    detail: text('detail'),
    /** What every attempt sends, encrypted; null: nothing more is sent. */
    body: text('body'),
    attempts: integer('attempts').notNull().default(0),
    queuedOn: time('queued_on').notNull(),
    /** While an attempt is under way, when it counts as lost; null: nothing more is tried. */
    nextAttemptOn: time('next_attempt_on'),
    sentOn: time('sent_on'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.requestId, table.partnerId] }),
    index('dsr_forwards_by_attempt').on(table.nextAttemptOn).where(sql`next_attempt_on IS NOT NULL`),
  ],
);
