import { type BatchLimits, type Leaf, leafProblem } from '../../events/index.ts';
import { type Json, kindOf } from '../../kernel/index.ts';

/** Why a static value cannot stand in a field of the batch, as a sentence without subject and end; undefined: it can. Pure. */
export function staticMisfit(value: Json, leaf: Leaf, limits: BatchLimits): string | undefined {
  // null is no static: it stands for a field of the mapping that is not there
  const problemOf = leafProblem({ ...leaf, nullable: false });
  const isList = Array.isArray(value);
  if (isList && leaf.list === 'never') return 'must be a single value, is a list';
  if (!isList && leaf.list === 'always') return `must be a list, is ${kindOf(value)}`;
  const items = isList ? (value as readonly Json[]) : [value];
  return items.map((item) => problemOf(item, limits)).find((problem) => problem !== undefined);
}
