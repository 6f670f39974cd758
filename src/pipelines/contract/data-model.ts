import { Type } from 'typebox';
import { auditProperties, closed, Name, Notices, READ_ONLY_FIELDS, ResourceState, Slug } from './shared.ts';

const config = closed({
  sql_query: Type.String({
    minLength: 1,
    maxLength: 100_000,
    description: 'A single SELECT with fully qualified table names.',
  }),
});

/**
 * Body of POST and PUT of a data model. The specification marks only `type` as required, besides the id and the query.
 */
export const DataModelBody = closed(
  {
    id: Slug,
    name: Type.Optional(Name),
    state: Type.Optional(ResourceState),
    type: Type.Enum(['sql']),
    config,
  },
  'DataModelBody',
  {
    id: 'buyers',
    name: 'What each person bought',
    state: 'active',
    type: 'sql',
    config: {
      sql_query: 'SELECT customer_id, sum(amount) AS amount, max(loaded_at) AS loaded_at FROM purchases GROUP BY 1',
    },
  },
);

/** `warnings` is an extension: what was noticed when the model was saved. */
export const DataModelAnswer = closed(
  {
    id: Slug,
    name: Name,
    state: ResourceState,
    status: Type.Enum(['valid', 'invalid']),
    errors: Notices,
    warnings: Notices,
    type: Type.Enum(['sql']),
    config,
    ...auditProperties,
  },
  'DataModel',
);

export const MODEL_READ_ONLY_FIELDS = [...READ_ONLY_FIELDS, 'warnings'] as const;

/** Body of the call that checks a model on one warehouse, without a scan (D-110). */
export const ValidateBody = closed({ connection_id: Slug }, 'ValidateBody', { connection_id: 'shop' });

export const ValidateAnswer = closed(
  {
    status: Type.Enum(['valid', 'invalid']),
    errors: Notices,
    columns: Type.Array(closed({ name: Type.String(), type: Type.String() })),
  },
  'Validation',
);
