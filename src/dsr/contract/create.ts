// Wire shapes of create-request bodies (docs/spec/data-subject-requests.md#request-body-of-version-3). The specification closes
// none of them, so unknown fields are ignored. Dictionaries of identities hold identity types only.
import { type TProperties, type TSchema, Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { REQUEST_TYPES } from '../request-type.ts';
import { EXTENSION_NAMES, TOP_NAMES } from './identity-types.ts';

const OPEN = { additionalProperties: true };
const CLOSED = { additionalProperties: false };
/** Maximum number of identities in a request, as specified. */
export const MOST_IDENTITIES = 50;
/** Limits that the specification leaves open: one request must not make thousands of calls. */
const MOST_CALLBACK_URLS = 20;
const MOST_CHARACTERS = 255;

/** Returns an optional schema that accepts null as absent, because the status object shows absent fields as null. */
const maybe = (schema: TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));

const UUID_V4 = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$';

const common = {
  subject_request_id: Type.String({
    pattern: UUID_V4,
    meaning: 'a UUID of version 4',
    description:
      'A UUID of version 4 that you choose. Unique in the workspace across all versions of this API, ignoring case. Answers repeat it as it was sent.',
  }),
  subject_request_type: Type.Enum(REQUEST_TYPES),
  submitted_time: Type.String({
    description: 'When the data subject asked: an ISO 8601 date or time; UTC without a zone.',
  }),
  status_callback_urls: maybe(
    Type.Array(Type.String(), {
      maxItems: MOST_CALLBACK_URLS,
      description: 'https URLs that receive each change of the status.',
    }),
  ),
};

const Regulation = Type.Enum(['gdpr', 'ccpa']);

const Raw = Type.Enum(['raw'], { description: 'Must be this value.' });
const Dictionary = (names: readonly string[], description: string) => {
  const identity = Type.Object({ value: Type.String(), encoding: Raw }, { ...OPEN, title: 'SubjectIdentity' });
  const properties: TProperties = Object.fromEntries(names.map((name) => [name, Type.Optional(identity)]));
  return maybe(Type.Object(properties, { ...CLOSED, maxProperties: MOST_IDENTITIES, description }));
};

const skip = maybe(
  Type.Boolean({ description: 'Starts an erasure 23 hours after its receipt instead of 7 days. Defaults to false.' }),
);

const ExtensionThree = Type.Object(
  {
    skip_waiting_period: skip,
    subject_identities: Dictionary(
      ['mpid', ...EXTENSION_NAMES],
      'Identities without a type in OpenDSR. `mpid` must be the only identity.',
    ),
  },
  { ...OPEN, title: 'SubjectRequestExtension' },
);

const EXTENSIONS = 'Keyed by `opendsr.<domain>`, with the domain of this processor (PENSTOCK_DSR_DOMAIN).';

const EXAMPLE = {
  regulation: 'gdpr',
  subject_request_id: 'a7551968-d5d6-44b2-9831-815ac9017798',
  subject_request_type: 'erasure',
  submitted_time: '2026-01-15T12:00:00Z',
  subject_identities: { email: { value: 'ann@example.org', encoding: 'raw' } },
  api_version: '3.0',
  status_callback_urls: ['https://example.org/dsr/callback'],
  group_id: 'january',
};

/** Body that creates a request of version 3. */
export const CreateBodyThree = Type.Object(
  {
    regulation: Regulation,
    ...common,
    skip_waiting_period: skip,
    subject_identities: Dictionary(TOP_NAMES, 'Identities of the data subject, one per type.'),
    api_version: maybe(Type.Enum(['3.0'])),
    group_id: maybe(
      Type.String({ minLength: 1, maxLength: MOST_CHARACTERS, description: 'Group of related requests.' }),
    ),
    extensions: maybe(Type.Object({}, { additionalProperties: ExtensionThree, description: EXTENSIONS })),
  },
  { ...OPEN, title: 'CreateSubjectRequest', examples: [EXAMPLE] },
);

const Listed = (names: readonly string[]) => ({ identity_type: Type.Enum([...names]), identity_value: Type.String() });

const ExtensionTwo = Type.Object(
  {
    mpids: maybe(
      Type.Array(Type.Union([Int64(), Type.String({ pattern: '^-?[0-9]{1,19}$', meaning: 'digits' })]), {
        maxItems: MOST_IDENTITIES,
        description: 'Each identity is searched for separately.',
      }),
    ),
    identities: maybe(Type.Array(Type.Object(Listed(EXTENSION_NAMES), OPEN), { maxItems: MOST_IDENTITIES })),
  },
  { ...OPEN, title: 'SubjectRequestExtensionTwo' },
);

const listed = (prefix: string) => ({
  subject_identities: maybe(
    Type.Array(Type.Object({ ...Listed(TOP_NAMES), identity_format: Raw }, OPEN), {
      maxItems: MOST_IDENTITIES,
      description: 'Identities of the data subject; each is searched for separately.',
    }),
  ),
  extensions: maybe(
    Type.Object({}, { additionalProperties: ExtensionTwo, description: EXTENSIONS.replace('opendsr', prefix) }),
  ),
});

const listedExample = {
  subject_request_id: EXAMPLE.subject_request_id,
  subject_request_type: 'access',
  submitted_time: EXAMPLE.submitted_time,
  subject_identities: [{ identity_type: 'email', identity_value: 'ann@example.org', identity_format: 'raw' }],
};

/** Body that creates a request of version 2 (docs/spec/data-subject-requests.md#versions-1-and-2). */
export const CreateBodyTwo = Type.Object(
  { regulation: Regulation, ...common, ...listed('opendsr'), api_version: maybe(Type.Enum(['2.0', '1.0'])) },
  {
    ...OPEN,
    title: 'CreateSubjectRequestTwo',
    examples: [{ regulation: 'gdpr', ...listedExample, api_version: '2.0' }],
  },
);

/** Body that creates a request of version 1, which has no regulation. */
export const CreateBodyOne = Type.Object(
  { ...common, ...listed('opengdpr'), api_version: maybe(Type.Enum(['1.0'])) },
  { ...OPEN, title: 'CreateSubjectRequestOne', examples: [{ ...listedExample, api_version: '1.0' }] },
);
