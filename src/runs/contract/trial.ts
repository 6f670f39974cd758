// Wire shapes of the calls that run a model and keep nothing (D-110).
import { Type } from 'typebox';
import { closed, Notices, nullable, Slug } from '../../pipelines/index.ts';

export const MOST_PREVIEW_ROWS = 100;

export const PreviewBody = closed(
  {
    connection_id: Slug,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_PREVIEW_ROWS, description: 'Defaults to 100.' })),
  },
  'PreviewBody',
  { connection_id: 'shop', limit: 10 },
);

const Column = closed({ name: Type.String(), type: Type.String({ description: 'Type as the warehouse names it.' }) });
const Cell = Type.Unknown({ description: 'Exact values: decimals and NaN as text, binary as base64.' });

const CostEstimate = closed({
  unit: Type.Enum(['bytes', 'planner_cost']),
  amount: Type.Number(),
  rows: Type.Optional(Type.Number({ description: 'Estimate of the warehouse.' })),
});

const Estimated = Type.Union([CostEstimate, Type.Null()], {
  description:
    'Estimate of the warehouse for the statement; null if it gives none, or if it failed, which a warning says.',
});

export const PreviewAnswer = closed(
  {
    columns: Type.Array(Column),
    rows: Type.Array(Type.Array(Cell), {
      description: 'Values in the order of the columns; about 8 MiB of them at most.',
    }),
    cost_estimate: Estimated,
    warnings: Notices,
  },
  'Preview',
);

const FailedRecord = closed({
  row: Type.Record(Type.String(), Cell),
  field: Type.String({ description: 'The invalid column; empty if the row as a whole is invalid.' }),
  value: nullable(Type.String()),
  rule: Type.String(),
  reason: Type.String(),
});

export const DryRunAnswer = closed(
  {
    row_count: Type.Integer({ description: 'Rows that a run triggered now would read.' }),
    cost_estimate: Estimated,
    batches: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'The first batches as they would be stored. batch_id, and mpid unless the row has it, are set when a batch is ' +
        'stored. For a user_attributes pipeline, the people of the rows in the form of batches.',
    }),
    failed_records: Type.Array(FailedRecord, { description: 'Rows that would fail, with the reason.' }),
    warnings: Notices,
  },
  'DryRun',
);
