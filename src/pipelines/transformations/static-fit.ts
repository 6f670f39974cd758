import { type BatchLimits, type Leaf, leafProblem } from '../../events/index.ts';
import { type Json, kindOf } from '../../kernel/index.ts';

/**
 * Returns why a static value cannot stand in a field of the batch, as a sentence without subject and end. Returns undefined
 * where it can. Pure.
 */
export function staticMisfit(value: Json, leaf: Leaf, limits: BatchLimits): string | undefined {
  // null is no static value: it means that a field of the mapping is missing
  const problemOf = leafProblem({ ...leaf, nullable: false });
  const isList = Array.isArray(value);
  if (isList && leaf.list === 'never') return 'must be a single value, is a list';
  if (!isList && leaf.list === 'always') return `must be a list, is ${kindOf(value)}`;
  const items = isList ? (value as readonly Json[]) : [value];
  return items.map((item) => problemOf(item, limits)).find((problem) => problem !== undefined);
}
