import { Type } from 'typebox';
import { TimesQuery } from '../../http/index.ts';
import { ProfileAnswer } from '../profiles/contract.ts';

const Environment = Type.Union([Type.Literal('production'), Type.Literal('development')]);
const text = (description: string) => Type.Optional(Type.String({ description }));
const time = () => Type.String({ format: 'date-time' });

/** Parameters of both exports. */
export const ExportQuery = {
  cursor: text('The `cursor` of the last line that you received; the answer continues after it.'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Maximum number of lines.' })),
  environment: Type.Optional(Environment),
  ...TimesQuery,
};

export const BatchesQuery = Type.Object({
  ...ExportQuery,
  pipeline_id: text('Only batches of this pipeline.'),
  feed_id: text('Only batches of this feed: from a pipeline that names it, or sent with its key.'),
  input_key: text('Only batches of the feed with this key, or sent with this key of an input.'),
});

export const BatchLine = Type.Object(
  {
    cursor: Type.String({ description: 'Position of this line, for the parameter `cursor`.' }),
    received_on: time(),
    environment: Environment,
    mpid: Type.Union([Type.String(), Type.Null()], {
      description: 'Decimal text; null if the batch contains no identity.',
    }),
    pipeline_id: Type.Union([Type.String(), Type.Null()], { description: 'Pipeline that created the batch.' }),
    input_key: Type.Union([Type.String(), Type.Null()], {
      description: 'Key that the batch was sent with; for a batch of a pipeline, the key of its feed.',
    }),
    batch: Type.Record(Type.String(), Type.Unknown(), { description: 'The stored event batch.' }),
  },
  { title: 'BatchLine', additionalProperties: false },
);

export const ProfileLine = Type.Object(
  { cursor: BatchLine.properties.cursor, ...ProfileAnswer.properties },
  { title: 'ProfileLine', additionalProperties: false },
);
