import type { Static } from 'typebox';
import { type Issue, refuse } from '../../kernel/index.ts';
import type { Dialect } from '../../warehouse/index.ts';
import type { PipelineBody } from '../contract/pipeline.ts';
import { readSchedule } from '../schedules/read-schedule.ts';
import type { DataPlan, Schedule, SyncMode } from './pipeline.ts';
import { readSyncMode } from './read-sync-mode.ts';

type Body = Static<typeof PipelineBody>;

export interface ReadBody {
  readonly syncMode: SyncMode;
  readonly schedule: Schedule;
  readonly dataPlan: DataPlan | undefined;
}

/** Reads the body, checked without a warehouse. Throws VALIDATION_FAILED with every complaint. */
export function readPipelineBody(body: Body, dialect: Dialect | undefined): ReadBody {
  const issues: Issue[] = [];
  const syncMode = readSyncMode(body.sync_mode, dialect, issues);
  const schedule = readSchedule(body.schedule, issues);
  issues.push(...checkTransformationId(body));
  const dataPlan = readDataPlan(body, issues);
  if (issues.length > 0) throw refuse(issues);
  return { syncMode, schedule, dataPlan };
}

/** Checks field_transformation_id: required for events pipelines, refused for user attributes. */
function checkTransformationId({ pipeline_type: type, field_transformation_id: id }: Body): readonly Issue[] {
  const path = 'field_transformation_id';
  if (type === 'events' && id == null) {
    return [{ path, message: 'is required when pipeline_type is events; name a field transformation' }];
  }
  if (type === 'user_attributes' && id != null) {
    return [{ path, message: 'is not available for pipelines of type user_attributes; leave it out' }];
  }
  return [];
}

/** Reads the data plan. Batches need its version as a whole number. */
function readDataPlan({ data_plan_id: id, data_plan_version: version }: Body, issues: Issue[]): DataPlan | undefined {
  const path = 'data_plan_version';
  if (id == null) {
    if (version != null) issues.push({ path, message: 'is only allowed together with data_plan_id; leave it out' });
    return undefined;
  }
  if (version != null && !/^\d{1,15}$/.test(String(version))) {
    issues.push({ path, message: `must be a whole number of at most 15 digits, is ${JSON.stringify(version)}` });
  }
  return { id, ...(version != null && { version }) };
}
