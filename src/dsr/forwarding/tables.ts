// Partners that erasures are forwarded to, and the state of each forward (D-068).
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
    /** Authentication at the partner, JSON text with an encrypted secret. */
    auth: text('auth').notNull(),
    /** Names of identity types in the spelling of requests. */
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
    /** Domain and name of the partner when the request came in. */
    domain: text('domain').notNull(),
    name: text('name').notNull(),
    /** `pending`, `skipped`, `sent`, `failed`. */
    status: text('status').notNull(),
    /** Reason why the forward was skipped or failed; names nobody. */
    message: text('message'),
    /** Answer of the partner, which may name the person; null without one and once dropped. */
    detail: text('detail'),
    /** Body of every attempt, encrypted; null where nothing more is sent. */
    body: text('body'),
    attempts: integer('attempts').notNull().default(0),
    queuedOn: time('queued_on').notNull(),
    /**
     * Due time of the next attempt; null where none follows. During an attempt, the time at which the attempt counts as lost.
     */
    nextAttemptOn: time('next_attempt_on'),
    sentOn: time('sent_on'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.requestId, table.partnerId] }),
    index('dsr_forwards_by_attempt').on(table.nextAttemptOn).where(sql`next_attempt_on IS NOT NULL`),
  ],
);
