import type { Static } from 'typebox';
import { AppError, type Issue, refuse } from '../kernel/index.ts';
import type { Dialect } from '../warehouse/index.ts';
import type { PipelineBody } from './contract/pipeline.ts';
import type { Schedule, SyncMode } from './pipeline.ts';
import { readSchedule } from './read-schedule.ts';
import { readSyncMode } from './read-sync-mode.ts';

type Body = Static<typeof PipelineBody>;

export interface ReadBody {
  readonly syncMode: SyncMode;
  readonly schedule: Schedule;
}

/** What the body means, checked without a warehouse. Throws VALIDATION_FAILED with every complaint, NOT_SUPPORTED for events. */
export function readPipelineBody(body: Body, dialect: Dialect | undefined): ReadBody {
  if (body.pipeline_type === 'events') {
    throw new AppError(
      'NOT_SUPPORTED',
      'pipeline_type: this version of Penstock has no events pipelines yet; use user_attributes.',
    );
  }
  const issues: Issue[] = [];
  const syncMode = readSyncMode(body.sync_mode, dialect, issues);
  const schedule = readSchedule(body.schedule, issues);
  issues.push(...unknownReferences(body));
  if (issues.length > 0) throw refuse(issues);
  return { syncMode, schedule };
}

/** Feeds, data plans and transformations do not exist in this version, so any that is named is unknown (rulings §7, API). */
function unknownReferences(body: Body): readonly Issue[] {
  const issues: Issue[] = [];
  const complain = (path: keyof Body, message: string) => issues.push({ path, message });
  if (body.field_transformation_id != null) {
    complain('field_transformation_id', 'is not available for pipelines of type user_attributes; leave it out');
  }
  if (body.partner_feed_id != null) {
    complain('partner_feed_id', `there is no feed ${body.partner_feed_id} in this workspace; leave it out`);
  }
  if (body.data_plan_id != null) {
    complain('data_plan_id', `there is no data plan "${body.data_plan_id}" in this workspace; leave it out`);
  } else if (body.data_plan_version != null) {
    complain('data_plan_version', 'belongs to a data_plan_id; leave it out');
  }
  return issues;
}
