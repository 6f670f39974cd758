import type { ErrorObject } from 'ajv';
import { allowedValues, type JsonSchema } from './json-schema.ts';

/**
 * Keeps the errors of the branch that the caller meant. A union that does not fit leaves one error for each branch and one of
 * its own. The branch meant is the enum that failed, the one branch that is not null, or the branch of the same kind.
 */
export function reduceUnions(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept = errors;
  for (const union of errors) {
    if (union.keyword === 'anyOf' || (union.keyword === 'oneOf' && Array.isArray(union.schema))) {
      const inside = kept.filter((error) => isInside(error, union));
      const instead = inside.length === 0 ? [union] : chooseBranch(union, inside);
      kept = kept.flatMap((error) => (error === union ? instead : inside.includes(error) ? [] : [error]));
    }
  }
  return kept;
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  const isBelow = error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
  return isBelow && error.schemaPath.startsWith(`${union.schemaPath}/`);
}

function chooseBranch(union: ErrorObject, inside: readonly ErrorObject[]): readonly ErrorObject[] {
  const values = allowedValues((union.parentSchema ?? {}) as JsonSchema);
  if (values !== undefined) return [{ ...union, keyword: 'enum', params: { allowedValues: values } }];
  const branches = Map.groupBy(inside, (error) => error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0]);
  const meant = [...branches.values()].filter((branch) => !branch.some((error) => isOther(error, union)));
  const [only, ...others] = meant;
  if (only !== undefined && others.length === 0) return only;
  if (meant.length === 0) return mergeTypes(union, inside);
  return [union];
}

/** Tells whether the caller did not mean this branch: its type differs, or its tag does. */
function isOther(error: ErrorObject, union: ErrorObject): boolean {
  if (error.keyword === 'const') return true;
  return error.keyword === 'type' && error.instancePath === union.instancePath;
}

function mergeTypes(union: ErrorObject, inside: readonly ErrorObject[]): readonly ErrorObject[] {
  const top = inside.filter((error) => error.instancePath === union.instancePath && error.keyword === 'type');
  if (top.length === 0 || top.length < inside.length) return [union];
  return [{ ...union, keyword: 'type', params: { type: [...new Set(top.map((error) => String(error.params.type)))] } }];
}
