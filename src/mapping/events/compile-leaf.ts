import type { Micros } from '../../kernel/index.ts';
import { countsMilliseconds } from '../../pipelines/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { CellWriter } from '../cells/cell-text.ts';
import { compileLeafWriter, itemOf } from '../cells/leaf-text.ts';
import { utcMicros } from '../range/wall-clock.ts';
import type { EventLimits, EventsPlan } from './events-plan.ts';
import { type ColumnSource, type LeafNode, listSteps, type Placed } from './place-tree.ts';

/** Compiles the writer of a column's cells at a leaf of the batch. */
export function compileLeafCell(plan: EventsPlan, leaf: LeafNode & { readonly source: ColumnSource }): CellWriter {
  const { destination, source } = leaf;
  const column = spreadItem(source.column, listSteps(destination).length);
  return compileLeafWriter({
    column,
    leaf: destination.leaf,
    limits: plan.limits,
    instantOf: countsMilliseconds(destination.path) ? timeReader(plan, source.column, column) : undefined,
  });
}

/** Returns the column of the items that remain after `levels` lists of objects were spread. */
function spreadItem(column: Column, levels: number): Column {
  return levels === 0 || column.type !== 'list' ? column : spreadItem(itemOf(column), levels - 1);
}

/**
 * Returns a reader of the column's times, or undefined where it holds none. The iterator's axis defines what its own cells
 * mean, numbers included.
 */
function timeReader(
  { iterator, zone }: EventsPlan,
  whole: Column,
  column: Column,
): ((cell: Cell) => Micros | undefined) | undefined {
  if (iterator?.column === whole) return iterator.axis.instantOf;
  switch (column.type) {
    case 'timestamp_tz':
      return (cell) => (typeof cell === 'string' ? utcMicros(cell) : undefined);
    case 'timestamp':
      return (cell) => (typeof cell === 'string' ? zone.instantOf(cell) : undefined);
    case 'date':
      return (cell) => (typeof cell === 'string' ? zone.startOfDate(cell) : undefined);
    default:
      return undefined;
  }
}

/**
 * Returns the problem with names that the transformation chose. Their length and their number in one object are limited
 * (D-031).
 */
export function limitProblem(placed: readonly Placed[], limits: EventLimits): string | undefined {
  const named = placed.filter(({ destination }) => destination.named).map(({ destination }) => destination.path);
  const long = named.find((path) => [...(path.at(-1) ?? '')].length > limits.nameChars);
  if (long !== undefined) return `The name "${long.at(-1)?.slice(0, 40)}…" is over ${limits.nameChars} characters.`;
  const counts = [...Map.groupBy(named, (path) => path.slice(0, -1).join('.'))];
  const over = counts.find(([object, names]) => names.length > mostNames(object, limits));
  if (over === undefined) return undefined;
  const [object, names] = over;
  return `The field transformation fills ${names.length} names of ${object}; at most ${mostNames(object, limits)} are allowed.`;
}

function mostNames(object: string, limits: EventLimits): number {
  if (object === 'user_attributes') return limits.userAttributesPerBatch;
  return object.endsWith('.custom_attributes') ? limits.attributesPerEvent : Infinity;
}
