// Data subject requests. A completed request names nobody: it keeps ids, times, counts and keyed hashes (D-061).
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
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { RequestStatus } from './request-machine.ts';
import type { RequestType } from './request-type.ts';

const workspaceId = () => bigint('workspace_id', { mode: 'bigint' }).notNull();
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const dsrRequests = pgTable(
  'dsr_requests',
  {
    workspaceId: workspaceId(),
    /** The caller's `subject_request_id`, compared case-insensitively. */
    id: uuid('id').notNull(),
    /** The id as sent; null where it was lower case, as in `id`. */
    givenId: text('given_id'),
    /** Version of the API that the request came in with: 1, 2 or 3. */
    version: smallint('version').$type<1 | 2 | 3>().notNull(),
    /** `access`, `portability`, `erasure`. */
    type: text('type').$type<RequestType>().notNull(),
    /** `gdpr` or `ccpa`; null in version 1. */
    regulation: text('regulation'),
    groupId: text('group_id'),
    /** `pending`, `in_progress`, `completed` or `cancelled`. Only `set-status.ts` writes it, and reapply for an export. */
    status: text('status').$type<RequestStatus>().notNull(),
    skipWaitingPeriod: boolean('skip_waiting_period').notNull(),
    /** Key id or `cli:<user>`. */
    createdBy: text('created_by').notNull(),
    submittedOn: time('submitted_on').notNull(),
    receivedOn: time('received_on').notNull(),
    startsOn: time('starts_on').notNull(),
    startedOn: time('started_on'),
    completedOn: time('completed_on'),
    cancelledOn: time('cancelled_on'),
    /** Expected completion; null once the request is cancelled. */
    expectedCompletionOn: time('expected_completion_on'),
    /** Callback URLs; null once dropped after completion. */
    callbackUrls: text('callback_urls').array(),
    /** Keyed hash over type, sorted identities and extensions. The 409 rule compares it. */
    matchHash: uuid('match_hash').notNull(),
    /** Identity keys of the named identities in both environments, and keyed hashes of the MPIDs. */
    subjectKeys: uuid('subject_keys').array().notNull(),
    /** Encrypted JSON text of `Subject`; null once dropped after completion. */
    subject: text('subject'),
    /** Encrypted request body, as received; null once dropped after completion. */
    encodedRequest: text('encoded_request'),
    /** Keyed hashes of what an erasure removed, for a repetition on a restored backup. */
    erasedKeys: uuid('erased_keys').array(),
    /** Evidence: how many records of each kind were erased, as JSON text `{room: {kind: count}}`. */
    counts: text('counts'),
    attempts: integer('attempts').notNull().default(0),
    /** Time of the first vacuum after an erasure completed. */
    vacuumedOn: time('vacuumed_on'),
    /** Time at which a worker takes the request next; null where nothing is left to do. */
    nextAttemptOn: time('next_attempt_on'),
    /** Reason why the last attempt failed, without personal data. */
    lastError: text('last_error'),
    /** Parts of the result file; null without one. */
    resultParts: integer('result_parts'),
    resultsExpireOn: time('results_expire_on'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    // A request is refused while an equal one is open (D-055).
    uniqueIndex('dsr_requests_by_match')
      .on(table.workspaceId, table.matchHash)
      .where(sql`status IN ('pending', 'in_progress')`),
    index('dsr_requests_by_group').on(table.workspaceId, table.groupId),
    index('dsr_requests_by_time').on(table.workspaceId, table.receivedOn),
    // for the poll: it skips no row that waits, nor due ones that another cadence starts
    index('dsr_requests_to_start').on(table.type, table.nextAttemptOn).where(sql`status = 'pending'`),
    // requests that were woken and are not taken yet
    index('dsr_requests_woken').on(table.nextAttemptOn).where(sql`status = 'pending' AND next_attempt_on > starts_on`),
    index('dsr_requests_to_vacuum')
      .on(table.workspaceId, table.completedOn)
      .where(sql`type = 'erasure' AND status = 'completed' AND vacuumed_on IS NULL`),
    index('dsr_requests_to_go_on').on(table.nextAttemptOn).where(sql`status = 'in_progress'`),
  ],
);
