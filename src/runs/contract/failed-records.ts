import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { closed, Instant, nullable } from '../../pipelines/index.ts';

/** One failed record of a run (D-099). */
export const FailedRecordAnswer = closed(
  {
    id: Int64({ description: 'Counts from 1 within the run.' }),
    row: Type.Unknown({
      description:
        'The whole row, column → value; null beyond the first 16 MB of a page: ask for fewer records at once.',
    }),
    field: Type.String({ description: 'The column at fault; empty for the row as a whole.' }),
    value: nullable(Type.String({ description: 'Its value as text, cut where it is long.' })),
    rule: Type.String({ description: 'The rule that the value broke.' }),
    reason: Type.String(),
    failed_on: Instant,
    /** Time at which a retry took the record. A row that fails again becomes a failed record of the retry's run. */
    retried_on: nullable(Instant),
  },
  'FailedRecord',
);

export const FailedRecordsAnswer = closed({ items: Type.Array(FailedRecordAnswer) }, 'FailedRecords');

const Ids = Type.Array(Int64(), {
  minItems: 1,
  maxItems: 10_000,
  description: 'Records to retry; absent: all that were not retried yet.',
});

export const RetryBody = closed({ ids: Type.Optional(Ids) }, 'FailedRecordsRetry', { ids: [1, 2] });
