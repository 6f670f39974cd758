// Checks that the columns of a model, as its warehouse describes them, can feed a transformation. Pure.
import { findDestination } from '../../events/index.ts';
import type { Issue } from '../../kernel/index.ts';
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { ColumnNeeds } from '../checks/pipeline-fit.ts';
import type { Notice } from '../pipelines/pipeline.ts';
import { columnMisfit } from './column-fit.ts';
import { eventTypeOf, type FieldMapping } from './field-transformation.ts';

/** Returns the issues of columns that do not suit the mappings. Paths are those of the transformation's body. */
export function transformationMisfits(columns: readonly Column[], mappings: readonly FieldMapping[]): readonly Issue[] {
  const eventType = eventTypeOf(mappings);
  return mappings.flatMap((mapping, index) => {
    // ignoring a missing column is harmless: a model may drop an unused column
    if (mapping.type !== 'column') return [];
    const path = `mappings[${index}].source`;
    const column = findColumn(columns, mapping.source);
    if (column === undefined) {
      const names = columns.map(({ name }) => name).join(', ');
      return [{ path, message: `the model has no column "${mapping.source}"; it has ${names}` }];
    }
    const problem = misfitOf(column, mapping.destination, eventType);
    return problem === undefined ? [] : [{ path, message: problem }];
  });
}

function misfitOf(column: Column, path: string, eventType: string | undefined): string | undefined {
  const destination = findDestination(path, eventType);
  // a saved transformation had no such problem, but the schema may have changed since
  if ('problem' in destination) return destination.problem;
  const misfit = columnMisfit(column, destination);
  if (misfit === undefined) return undefined;
  return `the column "${column.name}" ${misfit} (${path}); cast it in the model, or map another column`;
}

const NAMED_AT_MOST = 20;

/** Returns one notice that names the columns without a mapping, except those that the pipeline itself uses. */
export function unmappedColumns(
  columns: readonly Column[],
  { transformation, syncMode, rowKey }: ColumnNeeds,
): readonly Notice[] {
  if (transformation === null) return [];
  const mentioned = [
    ...transformation.mappings.flatMap((mapping) => (mapping.type === 'static' ? [] : [mapping.source])),
    ...rowKey,
    ...(syncMode.iterator === undefined ? [] : [syncMode.iterator.field]),
  ].map((name) => findColumn(columns, name));
  const left = columns.filter((column) => !mentioned.includes(column)).map(({ name }) => `"${name}"`);
  if (left.length === 0) return [];
  const more = left.length > NAMED_AT_MOST ? ` and ${left.length - NAMED_AT_MOST} more` : '';
  const names = `${left.slice(0, NAMED_AT_MOST).join(', ')}${more}`;
  const message =
    `No mapping of the field transformation "${transformation.id}" names the columns ${names} of the model: they are ` +
    'not part of the events. Map them, or add a mapping with mapping_type ignore for each.';
  return [{ message }];
}
