import type { Static } from 'typebox';
import type { DataModelAnswer } from '../contract/data-model.ts';
import type { DataModel } from '../data-models/data-model.ts';
import { auditAnswer } from './connection-answer.ts';
import { noticesAnswer } from './notices-answer.ts';

/** Returns a data model as the API answers it. */
export function dataModelAnswer(model: DataModel): Static<typeof DataModelAnswer> {
  const { id, name, state, sqlQuery, fault, warnings } = model;
  return {
    id,
    name,
    state,
    status: fault === null ? 'valid' : 'invalid',
    errors: noticesAnswer(fault),
    warnings: [...warnings],
    type: 'sql',
    config: { sql_query: sqlQuery },
    ...auditAnswer(model),
  };
}
