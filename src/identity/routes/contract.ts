// Wire shapes of identity requests: the specification's body and that of the client SDKs, on the same paths (D-046). Objects
// that the specification does not call closed are open: SDKs send more than the server reads. Values that may be any String are
// checked by the handler, which says what they must be.
import { type TSchema, Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { IDENTITY_FIELDS } from '../identity-types.ts';

const CLOSED = { additionalProperties: false };
const OPEN = { additionalProperties: true };

const maybe = (schema: TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));
const AnyString = (description?: string) =>
  Type.Optional(Type.Unknown(description === undefined ? {} : { description }));
const Millis = (description: string) => maybe(Int64({ description }));

const identities = (description: string) =>
  maybe(
    Type.Object(Object.fromEntries(IDENTITY_FIELDS.map((name) => [name, AnyString()])), { ...CLOSED, description }),
  );

const Environment = Type.Optional(
  Type.Enum(['production', 'development'], {
    description: 'Profiles of the two environments are separate. Defaults to production.',
  }),
);

const common = {
  environment: Environment,
  client_sdk: maybe(Type.Object({}, { ...OPEN, description: 'Platform, vendor and version of a client SDK.' })),
  context: maybe(Type.String({ description: 'Repeated in the answer.' })),
  request_id: AnyString('Id of the request, chosen by the client.'),
  request_timestamp_ms: Millis('The clock of the client.'),
};

const EXAMPLE = {
  user_identities: { customer_id: '4711', email: 'ann@example.org' },
  user_attributes: { plan: 'gold' },
  timestamp_unixtime_ms: 1_700_000_000_000,
  environment: 'production',
};

const SDK_EXAMPLE = {
  client_sdk: { platform: 'web', sdk_vendor: 'mparticle', sdk_version: '2.68.0' },
  environment: 'production',
  request_id: '6c6a234f-e171-4588-90a2-d7bc02530ec3',
  request_timestamp_ms: 1_700_000_000_000,
  previous_mpid: null,
  known_identities: { customerid: '4711', device_application_stamp: 'b1d2e3f4-5a6b-4c7d-8e9f-0a1b2c3d4e5f' },
};

const MODIFY_EXAMPLE = {
  environment: 'production',
  identity_changes: [
    { identity_type: 'email', old_value: 'ann@example.org', new_value: 'ann@example.com' },
    { identity_type: 'mobile_number', old_value: null, new_value: '+39 06 1234' },
  ],
};

export const ResolveBody = Type.Object(
  {
    ...common,
    user_identities: identities('Identities of the person: type and value.'),
    known_identities: identities('Alternative name of the field in client SDKs.'),
    user_attributes: maybe(
      Type.Object(
        {},
        { ...OPEN, description: 'Set on the profile: text, a number, true, false or a list; null removes.' },
      ),
    ),
    timestamp_unixtime_ms: Millis('When the attributes were set; not later than receipt.'),
    ip: maybe(Type.String()),
    previous_mpid: AnyString('The MPID that the client had before, as a number or its digits.'),
  },
  { ...OPEN, examples: [EXAMPLE, SDK_EXAMPLE] },
);

export const ModifyBody = Type.Object(
  {
    ...common,
    identity_changes: Type.Array(
      Type.Object(
        {
          identity_type: Type.Enum(IDENTITY_FIELDS),
          old_value: AnyString('Value to remove from the profile; nothing if null or absent.'),
          new_value: AnyString('Value to add to the profile; nothing if null or absent.'),
        },
        CLOSED,
      ),
      { maxItems: 100 },
    ),
  },
  { ...OPEN, examples: [MODIFY_EXAMPLE] },
);

export const ResolveQuery = Type.Object({
  read_only: Type.Boolean({
    default: false,
    description: 'True creates and adds nothing; if no profile matches, the MPID is ephemeral.',
  }),
  return_matches: Type.Boolean({ default: false, description: 'True fills matched_identities.' }),
});

export const ModifyParams = Type.Object({ mpid: Int64({ description: 'MPID of an existing profile.' }) });

export const ResolveResponse = Type.Object(
  {
    context: Type.Union([Type.String(), Type.Null()]),
    mpid: Type.String({ description: '64-bit integer as decimal digits.' }),
    matched_identities: Type.Record(Type.String(), Type.String(), {
      description: 'Identities of the request that the profile already had; only with return_matches.',
    }),
    is_ephemeral: Type.Boolean({ description: 'The MPID is not stored.' }),
    is_logged_in: Type.Boolean({ description: 'True if the profile has a login identity of the request.' }),
  },
  CLOSED,
);

export const ModifyResponse = Type.Object(
  {
    change_results: Type.Array(
      Type.Object(
        { identity_type: Type.String(), modified_mpid: Type.String({ description: 'Decimal digits.' }) },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);
