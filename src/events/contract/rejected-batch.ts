import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';

const CLOSED = { additionalProperties: false };

const RejectionError = Type.Object(
  { path: Type.String({ description: 'The field, such as `events[3].data.event_name`.' }), message: Type.String() },
  CLOSED,
);

const RejectedBatchAnswer = Type.Object(
  {
    id: Int64(),
    received_on: Type.String({ format: 'date-time' }),
    key: Type.String({ description: 'Key of the input or feed that sent the batch.' }),
    path: Type.String({ description: 'Where it was sent to.' }),
    errors: Type.Array(RejectionError),
    batch: Type.Unknown({
      description:
        'The batch as sent. Null if it was too large to be kept, or beyond the first 16 MB of a page; request fewer per page.',
    }),
  },
  { ...CLOSED, title: 'RejectedBatch' },
);

/** Page of rejected batches, an extension that is paged like runs. */
export const RejectedBatchesPage = Type.Object({ items: Type.Array(RejectedBatchAnswer) }, CLOSED);
