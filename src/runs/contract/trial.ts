// Wire shapes of the calls that run a model and keep nothing (D-110).
import { Type } from 'typebox';
import { closed, Notices, nullable, Slug } from '../../pipelines/index.ts';

export const MOST_PREVIEW_ROWS = 100;

export const PreviewBody = closed(
  {
    connection_id: Slug,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_PREVIEW_ROWS, description: '100 when absent.' })),
  },
  'PreviewBody',
  { connection_id: 'shop', limit: 10 },
);

const Column = closed({ name: Type.String(), type: Type.String({ description: 'As the warehouse writes it.' }) });
const Cell = Type.Unknown({ description: 'Exact: a decimal is its text, binary is base64, NaN is text.' });

export const PreviewAnswer = closed(
  {
    columns: Type.Array(Column),
    rows: Type.Array(Type.Array(Cell), {
      description: 'Values in the order of the columns; about 8 MiB of them at most.',
    }),
    warnings: Notices,
  },
  'Preview',
);

const CostEstimate = closed({
  unit: Type.Enum(['bytes', 'planner_cost']),
  amount: Type.Number(),
  rows: Type.Optional(Type.Number({ description: 'As the warehouse guesses.' })),
});

const FailedRecord = closed({
  row: Type.Record(Type.String(), Cell),
  field: Type.String({ description: 'The column at fault; empty for the row as a whole.' }),
  value: nullable(Type.String()),
  rule: Type.String(),
  reason: Type.String(),
});

export const DryRunAnswer = closed(
  {
    row_count: Type.Integer({ description: 'Rows that a run triggered now would read.' }),
    cost_estimate: Type.Union([CostEstimate, Type.Null()], {
      description: 'What the warehouse expects of the statement; null where it does not say.',
    }),
    batches: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'The first batches as they would be kept. batch_id, and mpid unless the row brings it, are given when a batch is ' +
        'kept. For a user_attributes pipeline the people of the rows in the form of batches.',
    }),
    failed_records: Type.Array(FailedRecord, { description: 'Rows among those that would fail, and why.' }),
    warnings: Notices,
  },
  'DryRun',
);
