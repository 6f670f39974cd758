import { Type } from 'typebox';
import type { Json } from '../../kernel/index.ts';

const time = (description?: string) =>
  Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) });
const closed = { additionalProperties: false } as const;
const Mpid = Type.String({ pattern: '^\\d+$', description: '64-bit integer as decimal text.' });

/** An object of JSON, as the store keeps its text. */
const AnyObject = Type.Unsafe<Json>(Type.Record(Type.String(), Type.Unknown()));

const ProfileIdentity = Type.Object(
  {
    identity_type: Type.String(),
    identity: Type.String(),
    unverified: Type.Optional(
      Type.Literal(true, {
        description: 'True if only public keys sent the identity: neither searches nor data subject requests find it.',
      }),
    ),
  },
  closed,
);

const ProfileAttribute = Type.Object(
  { name: Type.String(), value: Type.Unknown(), set_on: time('When it was set, to the microsecond.') },
  closed,
);

export const ProfileAnswer = Type.Object(
  {
    mpid: Mpid,
    environment: Type.Union([Type.Literal('production'), Type.Literal('development')]),
    created_on: time(),
    source_mpid: Type.Union([Mpid, Type.Null()], {
      description: 'Anonymous profile that this profile was created from.',
    }),
    holds_login: Type.Boolean({ description: 'True if only requests with a login identity of the profile find it.' }),
    identities: Type.Array(ProfileIdentity, { description: 'Newest first.' }),
    attributes: Type.Array(ProfileAttribute),
    consent_state: Type.Union([AnyObject, Type.Null()]),
  },
  { title: 'Profile', ...closed },
);

const ProfileBatch = Type.Object(
  {
    received_on: time(),
    pipeline_id: Type.Union([Type.String(), Type.Null()]),
    input_key: Type.Union([Type.String(), Type.Null()]),
    batch: AnyObject,
  },
  closed,
);

export const ProfileWithBatches = Type.Object(
  { ...ProfileAnswer.properties, batches: Type.Array(ProfileBatch, { description: 'Newest first.' }) },
  { title: 'ProfileWithBatches', ...closed },
);

export const ProfilesPage = Type.Object({ items: Type.Array(ProfileAnswer) }, closed);
