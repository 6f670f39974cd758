// Wire shapes of partners, an extension of the platform API (D-068).
import { type Static, Type } from 'typebox';
import { EXTENSION_NAMES, TOP_NAMES } from '../contract/identity-types.ts';

const CLOSED = { additionalProperties: false };
const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description !== undefined && { description }) });
const secret = () => text(4096, 'Answers show asterisks; a PUT with the asterisks keeps the stored secret.');

/** Secret field of each authentication type. */
export const SECRET_FIELDS = { none: undefined, basic: 'password', bearer: 'token', header: 'value' } as const;

/** Authentication at a partner. */
const PartnerAuth = Type.Union(
  [
    Type.Object({ type: Type.Literal('none') }, CLOSED),
    Type.Object({ type: Type.Literal('basic'), username: text(256), password: secret() }, CLOSED),
    Type.Object({ type: Type.Literal('bearer'), token: secret() }, CLOSED),
    Type.Object(
      {
        type: Type.Literal('header'),
        name: Type.String({
          pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$",
          meaning: 'the name of a request header',
          description: 'Name of a request header, such as X-Api-Key.',
        }),
        value: secret(),
      },
      CLOSED,
    ),
  ],
  { title: 'PartnerAuth' },
);
export type PartnerAuth = Static<typeof PartnerAuth>;

const properties = {
  id: Type.String({
    // The specification does not describe this id. It follows the other ids of this API.
    pattern: '^[A-Za-z0-9_-]+$',
    maxLength: 128,
    meaning: 'letters, digits, "_" and "-"',
    description: 'Letters, digits, _ and -, at most 128.',
    examples: ['mail-house'],
  }),
  name: text(256, 'Name shown in the status of a request.'),
  domain: Type.String({
    pattern: '^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$',
    maxLength: 253,
    meaning: 'a host name',
    description: 'Domain of the partner, shown in the status of a request.',
  }),
  url: text(2048, 'Where erasures are posted to; https, and at no private address.'),
  auth: PartnerAuth,
  identity_types: Type.Array(Type.Enum([...TOP_NAMES, ...EXTENSION_NAMES]), {
    minItems: 1,
    maxItems: TOP_NAMES.length + EXTENSION_NAMES.length,
    uniqueItems: true,
    description: 'Identity types that the partner receives. A request without any of them is skipped.',
  }),
};

export const PartnerBody = Type.Object(properties, {
  title: 'PartnerBody',
  ...CLOSED,
  examples: [
    {
      id: 'mail-house',
      name: 'The mail house',
      domain: 'mail.example.com',
      url: 'https://privacy.mail.example.com/requests',
      auth: { type: 'bearer', token: 'mh_live_7Qk2' },
      identity_types: ['email', 'controller_customer_id'],
    },
  ],
});
export type PartnerBody = Static<typeof PartnerBody>;

/** Read-only fields that GET returns and a body may repeat. */
export const PARTNER_READ_ONLY = ['created_on', 'created_by', 'last_modified_on', 'last_modified_by'] as const;

const time = Type.String({ format: 'date-time' });

export const PartnerAnswer = Type.Object(
  {
    ...properties,
    created_on: time,
    created_by: Type.String(),
    last_modified_on: Type.Union([time, Type.Null()]),
    last_modified_by: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'Partner', ...CLOSED },
);
export type PartnerAnswer = Static<typeof PartnerAnswer>;
