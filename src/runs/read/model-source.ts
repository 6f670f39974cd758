import { AppError, field, say } from '../../kernel/index.ts';
import { type IteratorAxis, iteratorAxis } from '../../mapping/index.ts';
import { type Column, checkModel, type Dialect, findColumn, type ModelToWrap } from '../../warehouse/index.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { FixedRange } from './fix-range.ts';

/** A model as one provider reads it. */
export interface Model {
  /** SQL that the gate returned. */
  readonly sql: string;
  readonly dialect: Dialect;
  readonly iterator: ModelIterator | undefined;
}

export interface ModelIterator {
  readonly column: Column;
  readonly axis: IteratorAxis;
}

/** Returns the text of a model as the provider's gate accepts it. Throws SQL_REFUSED. */
export async function acceptedSql(sqlQuery: string, dialect: Dialect): Promise<string> {
  const check = await checkModel(sqlQuery, dialect);
  if (check.outcome === 'refused') throw new AppError('SQL_REFUSED', check.complaint.message);
  return check.sql;
}

/** Returns the iterator of the model. Throws MODEL_INVALID when the model lacks the column, or when its type is no time. */
export function iteratorOf({ pipeline }: RunSnapshot, columns: readonly Column[]): ModelIterator | undefined {
  const { iterator } = pipeline.syncMode;
  if (iterator === undefined) return undefined;
  const column = findColumn(columns, iterator.field);
  if (column === undefined) {
    const names = columns.map(({ name }) => name).join(', ');
    const message = say`The model has no column "${iterator.field}", which ${field('iterator_field')} names. Its columns are: ${names}.`;
    throw new AppError('MODEL_INVALID', message);
  }
  return { column, axis: iteratorAxis({ ...iterator, zone: iterator.timeZone ?? 'UTC' }, column) };
}

/** Returns the model with the rows of the range, or with all rows. */
export function rowsToRead({ sql, dialect, iterator }: Model, range: FixedRange): ModelToWrap {
  if (range.kind === 'whole' || iterator === undefined) return { sql, dialect };
  const { column, axis } = iterator;
  const { start, end } = range.range;
  const bound = (instant: typeof start) => (instant === undefined ? undefined : axis.bound(instant));
  return { sql, dialect, range: { column: column.name, type: axis.boundType, start: bound(start), end: bound(end) } };
}
