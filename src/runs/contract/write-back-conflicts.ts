import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { closed, Instant } from '../../pipelines/index.ts';

/** One conflict of a write-back, an extension beside failed records (D-104). */
export const WriteBackConflictAnswer = closed(
  {
    id: Int64({ description: 'Counts from 1 within the run.' }),
    key: Type.Unknown({ description: 'The columns by which the row was looked for, column → value.' }),
    mpid: Int64({ description: 'The MPID that would have been written.' }),
    found_mpid: Type.Union([Int64(), Type.Null()], {
      description: 'What the row has instead, if it is an MPID; it was left alone.',
    }),
    reason: Type.Enum(['changed', 'gone', 'ambiguous'], {
      description:
        'changed: the row got another MPID after it was read; gone: no row has the key any more; ambiguous: the rows of ' +
        'the key are different people, so none was written.',
    }),
    found_on: Instant,
  },
  'WriteBackConflict',
);

export const WriteBackConflictsAnswer = closed({ items: Type.Array(WriteBackConflictAnswer) }, 'WriteBackConflicts');
