// Each field of version 1 with its place in version 2, and values that say the same in both: what the tests of round trips write and
// read, and what docs/warehouse-sync-v1.md is held against.

/** `path` is that of the resource's body in version 2. */
export type FieldRow = readonly [field: string, inOne: unknown, path: string, inTwo: unknown];

const inConfig = (...names: readonly string[]): readonly FieldRow[] =>
  names.map((name) => [name, 'changed', `config.${name}`, 'changed']);

const named: FieldRow = ['name', 'Renamed', 'name', 'Renamed'];

/** By type. */
export const CONNECTION_ROWS: Readonly<Record<'alpha' | 'beta' | 'gamma', readonly FieldRow[]>> = {
  alpha: [
    ...[named, ...inConfig('warehouse', 'database', 'user', 'role')],
    ['alpha_aws_iam_user_arn', 'changed', 'config.aws_iam_user_arn', 'changed'],
    ['alpha_aws_iam_user_arn', null, 'config.aws_iam_user_arn', undefined],
    ['alpha_aws_external_id', 'changed', 'config.aws_external_id', 'changed'],
    ['alpha_aws_external_id', null, 'config.aws_external_id', undefined],
  ],
  beta: [named, ...inConfig('region', 'project_id', 'dataset_id', 'service_account_id')],
  gamma: [
    named,
    ['gamma_aws_iam_role_arn', 'changed', 'config.aws_iam_role_arn', 'changed'],
    ['gamma_aws_iam_role_arn', null, 'config.aws_iam_role_arn', undefined],
  ],
};

/** Where the connection leads: another one asks for the secret beside it. */
export const ADDRESS_ROWS = [
  ['alpha', 'source_account_id', 'config.account_identifier'],
  ['alpha', 'region', 'config.region'],
  ['gamma', 'host', 'config.host'],
  ['gamma', 'port', 'config.port'],
  ['gamma', 'database', 'config.database'],
  ['gamma', 'user', 'config.user'],
] as const;

/** Masked in both. */
export const SECRET_ROWS = [
  ['alpha', 'password', 'config.password'],
  ['beta', 'service_account_key', 'config.service_account_key'],
  ['gamma', 'password', 'config.password'],
] as const;

const SQL = 'SELECT * FROM purchases WHERE amount > 1';

export const MODEL_ROWS: readonly FieldRow[] = [named, ['sql_query', SQL, 'config.sql_query', SQL]];

/** Fields of a model whose place is in the pipelines that follow it. */
export const FOLLOWED_ROWS: readonly FieldRow[] = [
  ['load_timestamp_field_name', 'bought_at', 'sync_mode.iterator_field', 'bought_at'],
  ['load_timestamp_field_type', 'datetime', 'sync_mode.iterator_data_type', 'datetime'],
  ['load_timestamp_field_type', null, 'sync_mode.type', 'full'],
  ['load_timestamp_field_time_zone', 'Asia/Tokyo', 'sync_mode.iterator_time_zone', 'Asia/Tokyo'],
  ['load_timestamp_field_tz', 'Asia/Tokyo', 'sync_mode.iterator_time_zone', 'Asia/Tokyo'],
  ['load_timestamp_field_time_offset', 900, 'schedule.delay', '900s'],
  ['load_timestamp_field_offset_seconds', 900, 'schedule.delay', '900s'],
];

export const PIPELINE_ROWS: readonly FieldRow[] = [
  named,
  ['connection_id', 'second', 'connection_id', 'second'],
  ['data_model_id', 'second', 'data_model_id', 'second'],
  ['is_active', false, 'state', 'paused'],
  ['is_draft', true, 'state', 'new'],
  ['schedule_start_time', '2024-05-01T00:00:00Z', 'schedule.start', '2024-05-01T00:00:00Z'],
  ['schedule_end_time', '2031-01-01T00:00:00Z', 'schedule.end', '2031-01-01T00:00:00Z'],
  ['schedule_end_time', null, 'schedule.end', undefined],
  ['schedule_interval', 'hourly', 'schedule.frequency', 'hourly'],
  ['schedule_interval', 'weekly', 'schedule.frequency', 'weekly'],
  ['schedule_interval', 'monthly', 'schedule.frequency', 'monthly'],
  ['schedule_interval', 'on_demand', 'schedule.type', 'on_demand'],
  ['schedule_interval', 'once', 'schedule.type', 'once'],
  ['environment', 'development', 'environment', 'development'],
  ['plan_id', 'second-plan', 'data_plan_id', 'second-plan'],
  ['plan_version', 2, 'data_plan_version', 2],
];

/** Whose values only a test knows. */
export const FEED_ROWS = [
  ['partner_feed_id', 'partner_feed_id'],
  ['partner_feed_key', 'partner_feed_key'],
] as const;

/** What nobody writes: the same in both, or what version 2 says in another way. */
export const READ_ONLY_ROWS: Readonly<
  Record<'connection' | 'model' | 'pipeline', readonly (readonly [string, string])[]>
> = {
  connection: [
    ['id', 'id'],
    ['type', 'service_provider'],
    ['is_faulted', 'status'],
    ...['created_on', 'created_by', 'last_modified_on', 'last_modified_by'].map((name) => [name, name] as const),
  ],
  model: [
    ['id', 'id'],
    ['type', 'type'],
  ],
  pipeline: [
    ['id', 'id'],
    ['is_faulted', 'errors'],
    ['faulted_reason', 'errors'],
  ],
};
