import { Type } from 'typebox';
import { auditProperties, closed, Name, Notices, ResourceState, Slug } from './shared.ts';

const config = closed({
  sql_query: Type.String({ minLength: 1, maxLength: 100_000, description: 'One SELECT, with fully qualified names.' }),
});

/** 002, Data model: body of POST and PUT. Only `type` is marked as required there besides the id and the query. */
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
    ...{ id: 'buyers', name: 'What each person bought', state: 'active', type: 'sql' },
    config: {
      sql_query: 'SELECT customer_id, sum(amount) AS amount, max(loaded_at) AS loaded_at FROM purchases GROUP BY 1',
    },
  },
);

export const DataModelAnswer = closed(
  {
    id: Slug,
    name: Name,
    state: ResourceState,
    status: Type.Enum(['valid', 'invalid']),
    errors: Notices,
    type: Type.Enum(['sql']),
    config,
    ...auditProperties,
  },
  'DataModel',
);

/** Rulings §7, Extensions: checks a model on one warehouse, without a scan. */
export const ValidateBody = closed({ connection_id: Slug }, 'ValidateBody', { connection_id: 'shop' });

export const ValidateAnswer = closed(
  {
    status: Type.Enum(['valid', 'invalid']),
    errors: Notices,
    columns: Type.Array(closed({ name: Type.String(), type: Type.String() })),
  },
  'Validation',
);
