import { Type } from 'typebox';
import { TimesQuery } from '../../http/index.ts';
import { ProfileAnswer } from '../profiles/contract.ts';

const Environment = Type.Union([Type.Literal('production'), Type.Literal('development')]);
const text = (description: string) => Type.Optional(Type.String({ description }));
const time = () => Type.String({ format: 'date-time' });

/** Parameters of both exports. */
export const ExportQuery = {
  cursor: text('The `cursor` of the last line you have: the answer goes on behind it.'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Most lines to send.' })),
  environment: Type.Optional(Environment),
  ...TimesQuery,
};

export const BatchesQuery = Type.Object({
  ...ExportQuery,
  pipeline_id: text('Only batches that this pipeline brought.'),
  feed_id: text('Only batches of this feed: brought by a pipeline that names it, or come in with its key.'),
  input_key: text('The same by the key of the feed; or only batches that came in with this key of an input.'),
});

export const BatchLine = Type.Object(
  {
    cursor: Type.String({ description: 'To go on behind this line.' }),
    received_on: time(),
    environment: Environment,
    mpid: Type.Union([Type.String(), Type.Null()], { description: 'Decimal text; null: the batch names nobody.' }),
    pipeline_id: Type.Union([Type.String(), Type.Null()], { description: 'Which pipeline brought it.' }),
    input_key: Type.Union([Type.String(), Type.Null()], {
      description: 'Or with which key it came in; of a batch that a pipeline brought, the key of its feed.',
    }),
    batch: Type.Record(Type.String(), Type.Unknown(), { description: 'The event batch as it is kept.' }),
  },
  { title: 'BatchLine', additionalProperties: false },
);

export const ProfileLine = Type.Object(
  { cursor: BatchLine.properties.cursor, ...ProfileAnswer.properties },
  { title: 'ProfileLine', additionalProperties: false },
);
