import { AppError } from '../../kernel/index.ts';
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { FaultSubject } from '../lifecycle/fault-subject.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';

/**
 * Returns the columns by which a row is recognised where its pipeline has a `row_key` (D-097): those of `row_key` and the
 * iterator, in any order. Returns undefined where all columns make a row. Throws MODEL_INVALID where the model lacks one of
 * them.
 * A row whose iterator has moved is another row: it changed, so its new version is delivered.
 */
export function identifyingPositions(
  { rowKey, syncMode }: RunSnapshot['pipeline'],
  columns: readonly Column[],
): readonly number[] | undefined {
  if (rowKey === undefined) return undefined;
  const iterator = syncMode.type === 'incremental' ? syncMode.iterator?.field : undefined;
  const names = iterator === undefined ? rowKey : [...rowKey, iterator];
  return [...new Set(names.map((name) => positionOf(columns, name)))];
}

function positionOf(columns: readonly Column[], name: string): number {
  const column = findColumn(columns, name);
  if (column !== undefined) return columns.indexOf(column);
  const names = columns.map((each) => each.name).join(', ');
  throw new AppError(
    'MODEL_INVALID',
    `The model has no column "${name}", which row_key names. Its columns are: ${names}.`,
    { subject: 'pipeline' satisfies FaultSubject },
  );
}
