import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { closed, Instant, nullable } from '../../pipelines/index.ts';

/** One failed record of a run (D-099). */
export const FailedRecordAnswer = closed(
  {
    id: Int64({ description: 'Counts from 1 within the run.' }),
    row: Type.Unknown({
      description:
        'The whole row as an object of columns. Null beyond the first 16 MB of a page; request fewer records per page.',
    }),
    field: Type.String({ description: 'The invalid column; empty if the row as a whole is invalid.' }),
    value: nullable(Type.String({ description: 'Value of the column as text, truncated if long.' })),
    rule: Type.String({ description: 'The rule that the value violates.' }),
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
  description: 'Records to retry. Defaults to all records that were not retried yet.',
});

export const RetryBody = closed({ ids: Type.Optional(Ids) }, 'FailedRecordsRetry', { ids: [1, 2] });
