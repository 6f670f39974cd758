import { Type } from 'typebox';
import { auditProperties, closed, Name, nullable, optionalOrNull, Slug } from '../../pipelines/index.ts';
import { TIMESTAMP_TYPES } from '../warehouses.ts';
import { optionalId, workspaceProperty } from './shared.ts';

const Zone = Type.String({
  description: 'IANA time zone of a column without one, such as Europe/Berlin. Defaults to UTC.',
});
const Offset = Type.Integer({
  minimum: 0,
  maximum: 999_999_999,
  description: 'Seconds to wait for late rows before a range is read.',
});

const columnProperty = {
  load_timestamp_field_name: optionalOrNull(
    Type.String({ minLength: 1, description: 'Column with the time at which a row changed.' }),
  ),
};

const properties = {
  name: Type.Optional(Name),
  type: Type.Enum(['sql']),
  sql_query: Type.String({
    minLength: 1,
    maxLength: 100_000,
    description: 'A single SELECT with fully qualified table names.',
  }),
  ...columnProperty,
  load_timestamp_field_type: Type.Optional(
    Type.Union([Type.Enum([...TIMESTAMP_TYPES]), Type.Null()], {
      description:
        'alpha: timestamp_ltz, timestamp_ntz, timestamp_tz, datetime, date, timestamp_unixtime_ms, timestamp_unixtime_s; ' +
        'beta: datetime, date, timestamp and the last two; gamma: any. Null: all rows are loaded each time.',
    }),
  ),
  load_timestamp_field_tz: optionalOrNull(Zone),
  load_timestamp_field_time_zone: optionalOrNull(Zone),
  load_timestamp_field_offset_seconds: optionalOrNull(Offset),
  load_timestamp_field_time_offset: optionalOrNull(Offset),
};

const example = {
  name: 'What each person bought',
  type: 'sql',
  sql_query: 'SELECT customer_id, sum(amount) AS amount, max(loaded_at) AS loaded_at FROM shop.purchases GROUP BY 1',
  load_timestamp_field_name: 'loaded_at',
  load_timestamp_field_type: 'timestamp_tz',
  load_timestamp_field_time_offset: 900,
};

/**
 * Body of POST of a data model, with both spellings of zone and offset
 * (docs/spec/warehouse-sync.md#version-1-load-timestamps).
 */
export const DataModelBody = closed({ id: Slug, ...properties }, 'DataModelBodyV1', { id: 'buyers', ...example });

/** Body of PUT. */
export const DataModelChange = closed(optionalId(properties), 'DataModelChangeV1', example);

export const DataModelAnswer = closed(
  {
    id: Slug,
    name: Name,
    ...workspaceProperty,
    type: Type.Enum(['sql']),
    sql_query: Type.String(),
    load_timestamp_field_name: nullable(Type.String()),
    load_timestamp_field_type: nullable(Type.String()),
    load_timestamp_field_time_zone: nullable(Type.String()),
    load_timestamp_field_time_offset: nullable(Type.Integer()),
    ...auditProperties,
  },
  'DataModelV1',
);
