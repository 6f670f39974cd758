// Checks that the columns of a model, as its warehouse describes them, carry what a pipeline requires. Pure.
import { identityTypeOfColumn } from '../../identity/index.ts';
import type { Issue } from '../../kernel/index.ts';
import { type Column, type ColumnType, findColumn } from '../../warehouse/index.ts';
import type { Iterator, SyncMode } from '../pipelines/pipeline.ts';
import type { PipelineContext } from '../pipelines/pipeline-status.ts';
import type { FieldTransformation } from '../transformations/field-transformation.ts';
import { transformationMisfits } from '../transformations/transformation-fit.ts';

const NUMBERS: readonly ColumnType[] = ['integer', 'decimal', 'double'];
const TIMES: readonly ColumnType[] = ['date', 'timestamp', 'timestamp_tz'];

/** Requirements of a pipeline for the columns of its model. */
export interface ColumnNeeds {
  readonly syncMode: SyncMode;
  readonly rowKey: readonly string[];
  /** Transformation of an events pipeline. Null: the columns' names determine their meaning. */
  readonly transformation: Pick<FieldTransformation, 'id' | 'mappings'> | null;
}

export function columnNeedsOf({ pipeline, transformation }: PipelineContext): ColumnNeeds {
  return { syncMode: pipeline.syncMode, rowKey: pipeline.kept.rowKey ?? [], transformation };
}

/** Returns the issues of columns that do not suit the pipeline. Paths are those of the pipeline's body. */
export function pipelineMisfits(
  columns: readonly Column[],
  { syncMode, rowKey, transformation }: ColumnNeeds,
): readonly Issue[] {
  const missing = (path: string, name: string): Issue => ({
    path,
    message: `the model has no column "${name}"; it has ${columns.map((column) => column.name).join(', ')}`,
  });
  const missingKeys = rowKey.filter((name) => findColumn(columns, name) === undefined);
  const issues = [
    ...(transformation === null ? identityMisfit(columns) : mappingMisfits(columns, transformation)),
    ...missingKeys.map((name) => missing('row_key', name)),
  ];
  const { iterator } = syncMode;
  if (iterator === undefined) return issues;
  const column = findColumn(columns, iterator.field);
  if (column === undefined) return [missing('sync_mode.iterator_field', iterator.field), ...issues];
  return [...iteratorMisfit(iterator, column), ...issues];
}

function mappingMisfits(
  columns: readonly Column[],
  { id, mappings }: NonNullable<ColumnNeeds['transformation']>,
): readonly Issue[] {
  return transformationMisfits(columns, mappings).map(({ path, message }) => ({
    path: 'field_transformation_id',
    message: `the field transformation "${id}" does not fit the model: ${path}: ${message}`,
  }));
}

/** Returns the issue of a model without an identity column: each of its rows would fail (D-100). */
function identityMisfit(columns: readonly Column[]): readonly Issue[] {
  const names = columns.map(({ name }) => name);
  if (names.some((name) => name.toLowerCase() === 'mpid' || identityTypeOfColumn(name) !== undefined)) return [];
  const message =
    `the model selects no identity, so its rows have no person; it has ${names.join(', ')}. Name at least one ` +
    'column after an identity or device id, such as customer_id, email or mpid';
  return [{ path: 'data_model_id', message }];
}

function iteratorMisfit({ type, declaredType, field }: Iterator, column: Column): readonly Issue[] {
  const isNumber = type === 'timestamp_unixtime_ms' || type === 'timestamp_unixtime_s';
  if (column.type === 'unknown' || (isNumber ? NUMBERS : TIMES).includes(column.type)) return [];
  const wanted = isNumber ? 'a number' : 'a date or timestamp';
  return [
    {
      path: 'sync_mode.iterator_data_type',
      message:
        `"${declaredType}" needs ${wanted}, but the column "${field}" is of type ${column.nativeType}; ` +
        'change the type, or cast the column in the model',
    },
  ];
}
