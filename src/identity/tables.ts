// Tables of people. Identities are keyed hashes with an owner in slot 0; values, attributes and their times are text in
// the profile. Columns that change are in no index, so that updates stay on their page (fillfactor in the migration).
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

const workspaceId = () => bigint('workspace_id', { mode: 'bigint' }).notNull();

export const profiles = pgTable(
  'profiles',
  {
    workspaceId: workspaceId(),
    /** 0 production, 1 development. */
    environment: smallint('environment').notNull(),
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    /**
     * Identities as JSON text `[[type, value], …]`, the newest first; `[type, value, "public"]` where only public keys brought
     * it.
     */
    identities: text('identities').notNull(),
    /** Identities that the profile gave up, in the same form, the latest first; null for none. They find no profile. */
    formerIdentities: text('former_identities'),
    /** `{name: value}` as JSON text. */
    attributes: text('attributes').notNull(),
    /** Times as `{"": micros, name: micros}`: "" stands for the attributes not named; a name without a value was removed. */
    attributeTimes: text('attribute_times').notNull(),
    /** Consent as JSON text `{regulation: {purpose: {…}}}`; null where none was given, as for most people. */
    consent: text('consent'),
    /** Hash of the last row that a full sync merged; any other write clears it. */
    rowHash: uuid('row_hash'),
    /** The profile holds a login identity, so it is returned only to requests that carry one of its login identities. */
    holdsLogin: boolean('holds_login').notNull(),
    /** The anonymous profile that it was created beside (strategy profile_link). */
    sourceMpid: bigint('source_mpid', { mode: 'bigint' }),
    /** Counts writes; a delivery updates only the version that it read. */
    version: integer('version').notNull(),
    createdOn: timestamp('created_on', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.environment, table.mpid] }),
    // profiles created beside an erased person's: few, and none under the other strategies
    index('profiles_source').on(table.workspaceId, table.sourceMpid).where(sql`source_mpid IS NOT NULL`),
  ],
);

export const profileIdentities = pgTable(
  'profile_identities',
  {
    workspaceId: workspaceId(),
    /** 16 bytes of a keyed hash over environment, type and normalised value. */
    key: uuid('key').notNull(),
    /** 0 is the owner; login and unique types have no other slot. */
    slot: smallint('slot').notNull(),
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    /** Set where only public keys brought the identity. Null for false, as for nearly all: null takes no room in the row. */
    isPublic: boolean('is_public'),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.key, table.slot] })],
);

/**
 * One row a workspace. Every delivery locks it shared; the loser of a race, and an erasure, lock it exclusively. A row lock
 * holds on every node.
 */
export const creationLocks = pgTable('creation_locks', {
  workspaceId: workspaceId().primaryKey(),
  /** Deliveries have to look for tombstones. Whoever takes the lock reads this flag, so that other workspaces pay nothing. */
  hasTombstones: boolean('has_tombstones').notNull().default(false),
});

/** Transactions that ask for a creation lock alone. Deliveries that begin meanwhile wait for them (`creation-tickets.ts`). */
export const creationTickets = pgTable(
  'creation_tickets',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

/** Identities that must not come back (D-059). The table holds keys alone, so nothing here tells whose they were. */
export const tombstones = pgTable(
  'tombstones',
  {
    workspaceId: workspaceId(),
    /**
     * Key of an erased identity, as in `profile_identities`, or of an erased MPID. No profile holds a key that is listed here.
     */
    key: uuid('key').notNull(),
    erasedOn: timestamp('erased_on', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.key] })],
);

// no workspace_id: one row for the installation
export const identityKeyMark = pgTable('identity_key_mark', {
  /** Always 1: there is one key. */
  id: smallint('id').primaryKey(),
  /** Keyed hash of a fixed text. It reveals that another key is used, and nothing about this one. */
  fingerprint: text('fingerprint').notNull(),
});

/** Memberships of groups: one group per profile and environment. The room `groups` writes them. */
export const groupMembers = pgTable(
  'group_members',
  {
    workspaceId: workspaceId(),
    environment: smallint('environment').notNull(),
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    /** Keyed hash of the value that the members share. */
    groupKey: uuid('group_key').notNull(),
    /** The run that made it a member of this group. */
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
  },
  (table) => [
    // the environment comes last: without statistics the planner must tell the two indexes apart by their second column
    primaryKey({ columns: [table.workspaceId, table.mpid, table.environment] }),
    index('group_members_by_group').on(table.workspaceId, table.groupKey, table.environment),
  ],
);

/**
 * Attributes that the members of a group inherit. They are stored once a group and laid over a profile when it is read, so that
 * a weekly run rewrites no profile and conflicts with no delivery.
 */
export const groupAttributes = pgTable(
  'group_attributes',
  {
    workspaceId: workspaceId(),
    environment: smallint('environment').notNull(),
    groupKey: uuid('group_key').notNull(),
    /** `{"<group id>:<attribute id>": value}` as JSON text. */
    attributes: text('attributes').notNull(),
    /** Microseconds since 1970. */
    setAt: bigint('set_at', { mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.environment, table.groupKey] })],
);
