// The settings of a workspace in the API. Each schema has its default: a PUT without the setting sets it to that, and a GET
// shows it. Months and days are calendar months and days of UTC.
import { type Static, type TProperties, Type } from 'typebox';
import { DEFAULT_PRIORITY } from '../../kernel/index.ts';

const CLOSED = { additionalProperties: false };

export const IDENTITY_STRATEGIES = ['profile_conversion', 'profile_link', 'profile_isolation', 'best_match'] as const;

const count = (standard: number, maximum: number, description: string) =>
  Type.Integer({ default: standard, minimum: 1, maximum, description });

const identity = {
  strategy: Type.Enum(IDENTITY_STRATEGIES, {
    default: 'profile_conversion',
    description: 'What happens when a login identity meets an anonymous profile.',
  }),
  priority: Type.Array(Type.Enum([...DEFAULT_PRIORITY]), {
    default: [...DEFAULT_PRIORITY],
    minItems: 1,
    uniqueItems: true,
    description:
      'Order in which identity types are matched. A type that is left out is stored on profiles, but never matched.',
  }),
};

const limits = {
  batch_bytes: count(131_072, 10_485_760, 'Largest event batch in bytes, after decompression.'),
  request_bytes: count(262_144, 104_857_600, 'Largest request of the events API in bytes, after decompression.'),
  attributes_per_event: count(100, 10_000, 'Maximum number of custom attributes of one event.'),
  user_attributes_per_batch: count(100, 10_000, 'Maximum number of user attributes of one batch.'),
  name_characters: count(256, 1_024, 'Longest name of an attribute or event, in characters.'),
  value_characters: count(4_096, 65_536, 'Longest value of an attribute, in characters.'),
  profile_identities: count(
    1_000,
    100_000,
    'Maximum number of identities of one profile, including device ids and push tokens.',
  ),
  profile_attributes: count(2_000, 100_000, 'Maximum number of user attributes of one profile.'),
  profile_attribute_bytes: count(
    524_288,
    16_777_216,
    'Maximum size in bytes of the user attributes of one profile, including the times at which they were set or removed.',
  ),
  batches_per_second: count(270, 100_000, 'Event batches accepted per second; more are answered with 429.'),
  subject_requests_per_minute: count(1_000, 100_000, 'Calls of the data subject request API accepted per minute.'),
  subject_requests_per_day: count(80_000, 10_000_000, 'Data subject requests that can be created per day.'),
};

const retention = {
  batches_months: count(24, 1_200, 'Months that event batches are kept.'),
  runs_months: count(12, 1_200, 'Months that pipeline runs are kept.'),
  failed_records_days: count(90, 36_500, 'Days that failed records are kept.'),
  audit_log_months: count(12, 1_200, 'Months that entries of the audit log are kept.'),
};

const single = {
  new_login_lifts: Type.Boolean({
    default: false,
    description: 'True if a new login with an erased identity lifts its erasure.',
  }),
  allowed_origins: Type.Array(Type.String({ pattern: '^https?://[A-Za-z0-9.\\-\\[\\]:]+$', maxLength: 255 }), {
    default: [],
    maxItems: 100,
    uniqueItems: true,
    description: 'Web origins (scheme, host, port) whose pages may call with a public key.',
  }),
};

const publicKeys = {
  attributes: Type.Union(
    [Type.Enum(['any', 'none']), Type.Array(Type.String(), { maxItems: 1_000, uniqueItems: true })],
    {
      default: 'any',
      description: 'User attributes that callers may set with a public key alone: any, none, or a list of names.',
    },
  ),
};

const section = <Properties extends TProperties>(properties: Properties) => Type.Object(properties, CLOSED);
const partial = <Properties extends TProperties>(properties: Properties) =>
  Type.Optional(Type.Object(Type.Partial(Type.Object(properties)).properties, CLOSED));

/** Answer of a GET: every setting with its effective value. */
export const SettingsDocument = section({
  identity: section(identity),
  limits: section(limits),
  retention: section(retention),
  public_keys: section(publicKeys),
  ...single,
});
export type SettingsDocument = Static<typeof SettingsDocument>;

/** Body of a PUT, which replaces all settings; an absent one gets its default. */
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
