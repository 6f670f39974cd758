import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { closed, Instant } from '../../pipelines/index.ts';

/** One conflict of a write-back, an extension beside failed records (D-104). */
export const WriteBackConflictAnswer = closed(
  {
    id: Int64({ description: 'Counts from 1 within the run.' }),
    key: Type.Unknown({ description: 'Key columns of the row with their values.' }),
    mpid: Int64({ description: 'The MPID that would have been written.' }),
    found_mpid: Type.Union([Int64(), Type.Null()], {
      description: 'MPID that the row has instead; it was left unchanged. Null if the value is not an MPID.',
    }),
    reason: Type.Enum(['changed', 'gone', 'ambiguous'], {
      description:
        'changed: the MPID of the row changed after it was read; gone: no row has the key any more; ambiguous: the rows with ' +
        'the key belong to different people, so none was written.',
    }),
    found_on: Instant,
  },
  'WriteBackConflict',
);

export const WriteBackConflictsAnswer = closed({ items: Type.Array(WriteBackConflictAnswer) }, 'WriteBackConflicts');
