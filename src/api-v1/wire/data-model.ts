import type { Static } from 'typebox';
import { type Issue, refuse } from '../../kernel/index.ts';
import type { DataModelBody as BodyOfTwo, DataModel, LoadTimestamp } from '../../pipelines/index.ts';
import { auditAnswer, isTimeZone } from '../../pipelines/index.ts';
import type { DataModelAnswer, DataModelBody } from '../contract/data-model.ts';
import type { FieldNames } from '../render-errors.ts';

type Body = Static<typeof DataModelBody>;

export function dataModelAnswer(model: DataModel): Static<typeof DataModelAnswer> {
  const { id, name, workspaceId, sqlQuery, loadTimestamp } = model;
  return {
    id,
    name,
    workspace_id: workspaceId,
    type: 'sql',
    sql_query: sqlQuery,
    load_timestamp_field_name: loadTimestamp?.field ?? null,
    load_timestamp_field_type: loadTimestamp?.type ?? null,
    load_timestamp_field_time_zone: loadTimestamp?.timeZone ?? null,
    load_timestamp_field_time_offset: loadTimestamp?.offsetSeconds ?? null,
    ...auditAnswer(model),
  };
}

/** Returns the body of version 2 that means the same. The state of a model that a PUT replaces stays. */
export function dataModelBody(body: Body, stored?: DataModel): Static<typeof BodyOfTwo> {
  const { id, name, sql_query } = body;
  return {
    id,
    type: 'sql',
    state: stored?.state ?? 'active',
    config: { sql_query },
    ...(name !== undefined && { name }),
  };
}

/** Returns the load timestamp of a body. Returns null where the body names none. Throws VALIDATION_FAILED. */
export function readLoadTimestamp(body: Body): LoadTimestamp | null {
  const issues: Issue[] = [];
  const field = body.load_timestamp_field_name ?? undefined;
  const type = body.load_timestamp_field_type ?? undefined;
  const timeZone = oneOf(
    { load_timestamp_field_tz: body.load_timestamp_field_tz },
    { load_timestamp_field_time_zone: body.load_timestamp_field_time_zone },
    issues,
  );
  const offsetSeconds = oneOf(
    { load_timestamp_field_offset_seconds: body.load_timestamp_field_offset_seconds },
    { load_timestamp_field_time_offset: body.load_timestamp_field_time_offset },
    issues,
  );
  if (type !== undefined && field === undefined) {
    issues.push({ path: 'load_timestamp_field_name', message: 'is required together with load_timestamp_field_type' });
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `"${timeZone}" is not an IANA time zone; use one such as Europe/Berlin`;
    issues.push({ path: 'load_timestamp_field_time_zone', message });
  }
  if (issues.length > 0) throw refuse(issues);
  const loadTimestamp = {
    ...(field !== undefined && { field }),
    ...(type !== undefined && { type }),
    ...(timeZone !== undefined && { timeZone }),
    ...(offsetSeconds !== undefined && { offsetSeconds }),
  };
  return Object.keys(loadTimestamp).length === 0 ? null : loadTimestamp;
}

type Spelled<Value> = Readonly<Record<string, Value | null | undefined>>;

/** Returns the value of a field with two spellings: either is accepted, both where they agree. */
function oneOf<Value>(one: Spelled<Value>, other: Spelled<Value>, issues: Issue[]): Value | undefined {
  const [[path = '', first] = [], [name, second] = []] = [...Object.entries(one), ...Object.entries(other)];
  if (first != null && second != null && first !== second) {
    issues.push({ path, message: `differs from ${name}, which means the same; send one of them` });
  }
  return first ?? second ?? undefined;
}

/** Fields that version 2 names in its complaints, with their names in version 1. */
export const MODEL_NAMES: FieldNames = {
  'config.sql_query': 'sql_query',
  sync_mode: 'load_timestamp_field_name',
  'sync_mode.iterator_field': 'load_timestamp_field_name',
  'sync_mode.iterator_data_type': 'load_timestamp_field_type',
  'sync_mode.iterator_time_zone': 'load_timestamp_field_time_zone',
  'schedule.delay': 'load_timestamp_field_time_offset',
};
