// Tables of group definitions and runs. Memberships and inherited attributes are in identity's tables, because they are read
// with the profile.
import {
  bigint,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import type { WorkspaceId } from '../kernel/index.ts';
import { jsonColumn } from '../store/index.ts';
import type { GroupAttribute } from './definition.ts';
import type { CountsByEnvironment, Progress } from './group-run.ts';

const workspaceId = () => bigint('workspace_id', { mode: 'bigint' }).$type<WorkspaceId>().notNull();
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Group definitions. The primary key enforces the limit of one definition per workspace. */
export const groupDefinitions = pgTable('group_definitions', {
  workspaceId: workspaceId().primaryKey(),
  id: text('id').notNull(),
  description: text('description').notNull(),
  sourceUserAttribute: text('source_user_attribute').notNull(),
  attributes: jsonColumn<readonly GroupAttribute[]>('attributes').notNull(),
  /** Counts changes that affect the groups: a run that meets a new revision begins again. */
  revision: integer('revision').notNull(),
  createdOn: time('created_on').notNull(),
  createdBy: text('created_by').notNull(),
  lastModifiedOn: time('last_modified_on').notNull(),
  lastModifiedBy: text('last_modified_by').notNull(),
});

/** One row a workspace, locked by all changes of its groups. A row lock holds on every node. */
export const groupLocks = pgTable('group_locks', { workspaceId: workspaceId().primaryKey() });

export const groupRuns = pgTable(
  'group_runs',
  {
    workspaceId: workspaceId(),
    /** Counted within the workspace. */
    id: bigint('id', { mode: 'bigint' }).notNull(),
    type: text('type', { enum: ['weekly', 'on_demand'] }).notNull(),
    /** Monday of a weekly run; there is one run for each. */
    dueOn: time('due_on'),
    requestedBy: text('requested_by').notNull(),
    requestedOn: time('requested_on').notNull(),
    status: text('status', { enum: ['queued', 'running', 'success', 'failed', 'stopped'] }).notNull(),
    startedOn: time('started_on'),
    endedOn: time('ended_on'),
    /** Position of the run; null before its first step and after its last. */
    progress: jsonColumn<Progress>('progress'),
    /** Counts so far. */
    counts: jsonColumn<CountsByEnvironment>('counts').notNull(),
    /** Number of consecutive failed steps. */
    failures: integer('failures').notNull(),
    error: text('error'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    unique('group_runs_by_due').on(table.workspaceId, table.dueOn),
  ],
);

/** Profiles with the grouping attribute, during a run. */
export const groupCandidates = pgTable(
  'group_candidates',
  {
    workspaceId: workspaceId(),
    environment: smallint('environment').notNull(),
    mpid: bigint('mpid', { mode: 'bigint' }).notNull(),
    groupKey: uuid('group_key').notNull(),
    /** Time at which the grouping attribute was set, in microseconds since 1970. */
    joinedAt: bigint('joined_at', { mode: 'bigint' }).notNull(),
  },
  (table) => [
    // the environment comes last: without statistics the planner must tell the two indexes apart by their second column
    primaryKey({ columns: [table.workspaceId, table.mpid, table.environment] }),
    index('group_candidates_in_order').on(
      table.workspaceId,
      table.groupKey,
      table.environment,
      table.joinedAt,
      table.mpid,
    ),
  ],
);
