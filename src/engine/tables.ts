// What a run leaves behind besides its own row: the rows it could not map.
import { bigint, foreignKey, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { pipelineRuns } from '../sync/index.ts';

export const failedRecords = pgTable(
  'failed_records',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' }).notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    id: bigint('id', { mode: 'bigint' }).notNull(),
    /** The whole row as JSON text, column → cell. */
    row: text('row').notNull(),
    field: text('field').notNull(),
    value: text('value'),
    /** The rule it broke, one of a list: `identity_missing`, `value_not_finite` … */
    rule: text('rule').notNull(),
    reason: text('reason').notNull(),
    failedOn: timestamp('failed_on', { withTimezone: true, precision: 3 }).notNull(),
    retriedOn: timestamp('retried_on', { withTimezone: true, precision: 3 }),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.runId, table.id] }),
    foreignKey({
      columns: [table.workspaceId, table.runId],
      foreignColumns: [pipelineRuns.workspaceId, pipelineRuns.id],
    }),
  ],
);

/** One row a workspace: claims and ends of its runs take it one after the other. A row, so it holds on every node. */
export const claimLocks = pgTable('claim_locks', {
  workspaceId: bigint('workspace_id', { mode: 'bigint' }).primaryKey(),
});
