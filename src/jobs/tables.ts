import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';

// no workspace_id: a cadence belongs to the installation and stays on the coordinator
export const cadences = pgTable('cadences', {
  name: text('name').primaryKey(),
  cron: text('cron').notNull(),
  nextDueAt: timestamp('next_due_at', { withTimezone: true, precision: 3 }).notNull(),
});
