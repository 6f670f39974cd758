// Wire shapes of feeds (docs/spec/warehouse-sync.md#feeds, D-021).
import { type Static, Type } from 'typebox';
import { PROVIDERS } from '../../../connectors/facts.ts';
import { Int64 } from '../../http/index.ts';

const CLOSED = { additionalProperties: false };

const WAREHOUSE_WORDS = PROVIDERS.map((provider) => `\`${provider.toLowerCase()}\``).join(', ');

export const FeedBody = Type.Object(
  {
    module_name: Type.String({
      minLength: 1,
      maxLength: 256,
      description: `Source of the feed: a warehouse (${WAREHOUSE_WORDS}) or any other name.`,
      examples: ['alpha'],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Unique in the workspace.',
      examples: ['warehouse'],
    }),
    os: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Null()])),
    settings: Type.Optional(
      Type.Union([
        Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 100, description: 'Kept as sent.' }),
        Type.Null(),
      ]),
    ),
    is_active: Type.Optional(
      Type.Boolean({ description: 'Defaults to true. The key of an inactive feed is refused.' }),
    ),
  },
  { ...CLOSED, examples: [{ module_name: 'alpha', name: 'warehouse' }] },
);
export type FeedBody = Static<typeof FeedBody>;

/** Fields that GET shows and POST ignores. */
export const FEED_READ_ONLY = ['id', 'data_type', 'key', 'secret', 'created_on', 'created_by'] as const;

const made = {
  id: Int64(),
  data_type: Type.Literal('partner_feed'),
  name: Type.String(),
  module_name: Type.String(),
  key: Type.String(),
  created_on: Type.String({ format: 'date-time' }),
};

const envelope = <Item extends Type.TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item), data_type: Type.Literal('partner_feed'), errors: Type.Null() }, CLOSED);

/** Answer to the creation of a feed, the only one with the secret. */
export const CreatedFeed = envelope(Type.Object({ ...made, secret: Type.String() }, CLOSED));

export const FeedList = envelope(
  Type.Object(
    {
      ...made,
      os: Type.Union([Type.String(), Type.Null()]),
      settings: Type.Array(Type.Unknown()),
      is_active: Type.Boolean(),
      created_by: Type.String(),
    },
    CLOSED,
  ),
);
