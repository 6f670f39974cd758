// The settings of a workspace as they stand on the wire. Each schema carries its default: what a PUT leaves out has it,
// and a GET shows it. Months and days are calendar months and days of UTC.
import { type Static, type TProperties, Type } from 'typebox';

const CLOSED = { additionalProperties: false };

/**
 * Identity types by their names on the wire, in the default order of priority: what rulings §3 names, devices, the rest.
 * `identity` has the same list; a test holds them together.
 */
export const IDENTITY_PRIORITY = [
  'customer_id',
  'mobile_number',
  'email',
  'other',
  'facebook',
  'google',
  'twitter',
  'microsoft',
  'yahoo',
  'mp_deviceid',
  'ios_advertising_id',
  'ios_idfv',
  'android_advertising_id',
  'android_uuid',
  'fire_advertising_id',
  'roku_advertising_id',
  'roku_publisher_id',
  'microsoft_advertising_id',
  'microsoft_publisher_id',
  'amp_id',
  'push_token',
  'alias',
  'facebook_custom_audience_id',
  'phone_number_2',
  'phone_number_3',
  'other_id_2',
  'other_id_3',
  'other_id_4',
  'other_id_5',
  'other_id_6',
  'other_id_7',
  'other_id_8',
  'other_id_9',
  'other_id_10',
] as const;

export const IDENTITY_STRATEGIES = ['profile_conversion', 'profile_link', 'profile_isolation', 'best_match'] as const;

const count = (standard: number, maximum: number, description: string) =>
  Type.Integer({ default: standard, minimum: 1, maximum, description });

const identity = {
  strategy: Type.Enum(IDENTITY_STRATEGIES, {
    default: 'profile_conversion',
    description: 'What happens when a login identity meets an anonymous profile.',
  }),
  priority: Type.Array(Type.Enum(IDENTITY_PRIORITY), {
    default: [...IDENTITY_PRIORITY],
    minItems: 1,
    uniqueItems: true,
    description: 'Which identity decides first. A type that is left out is kept on profiles, but finds none.',
  }),
};

const limits = {
  batch_bytes: count(131_072, 10_485_760, 'Largest event batch, decompressed.'),
  request_bytes: count(262_144, 104_857_600, 'Largest request of the events API, decompressed.'),
  attributes_per_event: count(100, 10_000, 'Most custom attributes of one event.'),
  user_attributes_per_batch: count(100, 10_000, 'Most user attributes of one batch.'),
  name_characters: count(256, 1_024, 'Longest name of an attribute or event.'),
  value_characters: count(4_096, 65_536, 'Longest value of an attribute.'),
  profile_identities: count(1_000, 100_000, 'Most identities of one profile, device ids and push tokens included.'),
  profile_attributes: count(2_000, 100_000, 'Most user attributes of one profile.'),
  profile_attribute_bytes: count(
    524_288,
    16_777_216,
    'Most bytes of one profile’s user attributes, with the times at which each was set or removed.',
  ),
  batches_per_second: count(270, 100_000, 'Event batches taken in a second; more are answered 429.'),
  subject_requests_per_minute: count(1_000, 100_000, 'Data subject request calls taken in a minute.'),
  subject_requests_per_day: count(80_000, 10_000_000, 'Data subject requests created in a day.'),
};

const retention = {
  batches_months: count(24, 1_200, 'How long event batches are kept.'),
  runs_months: count(12, 1_200, 'How long pipeline runs are kept.'),
  failed_records_days: count(90, 36_500, 'How long rows that could not be mapped are kept.'),
  audit_log_months: count(12, 1_200, 'How long entries of the audit log are kept.'),
};

const single = {
  new_login_lifts: Type.Boolean({
    default: false,
    description: 'Whether a new login with an erased identity lifts its erasure.',
  }),
  allowed_origins: Type.Array(Type.String({ pattern: '^https?://[A-Za-z0-9.\\-\\[\\]:]+$', maxLength: 255 }), {
    default: [],
    maxItems: 100,
    uniqueItems: true,
    description: 'Web origins (scheme, host, port) whose browsers may call with a public key.',
  }),
};

const publicKeys = {
  attributes: Type.Union(
    [Type.Enum(['any', 'none']), Type.Array(Type.String(), { maxItems: 1_000, uniqueItems: true })],
    {
      default: 'any',
      description:
        'Which user attributes callers with a public key alone may set: any, none, or those of a list of names.',
    },
  ),
};

const section = <Properties extends TProperties>(properties: Properties) => Type.Object(properties, CLOSED);
const partial = <Properties extends TProperties>(properties: Properties) =>
  Type.Optional(Type.Object(Type.Partial(Type.Object(properties)).properties, CLOSED));

/** What a GET answers: every setting with its effective value. */
export const SettingsDocument = section({
  identity: section(identity),
  limits: section(limits),
  retention: section(retention),
  public_keys: section(publicKeys),
  ...single,
});
export type SettingsDocument = Static<typeof SettingsDocument>;

/** What a PUT takes: it replaces the whole, and what it leaves out has its default. */
export const SettingsBody = Type.Object(
  {
    identity: partial(identity),
    limits: partial(limits),
    retention: partial(retention),
    public_keys: partial(publicKeys),
    ...Type.Partial(Type.Object(single)).properties,
  },
  CLOSED,
);
export type SettingsBody = Static<typeof SettingsBody>;
