import { type IdentityType, identityTypeOfColumn, type Meaning } from '../../identity/index.ts';
import { ALIAS_LINES, CALL_LINES, IDENTIFY_LINES, TRAITS_OF_CONTEXT } from './field-lines.ts';

const LINES = [...CALL_LINES, ...TRAITS_OF_CONTEXT, ...IDENTIFY_LINES, ...ALIAS_LINES];

/** Meanings beyond the tables: the former id of an SDK's user may have been a customer id. */
const BESIDES: readonly (readonly [string, IdentityType])[] = [['previousId', 'customer_id']];

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

const MEANINGS = meaningsOfLines();

/**
 * Returns the types of identity that a field of an analytics call may hold, by the mapping of calls to batches:
 * `anonymousId` is a device id or another id, depending on its form. Returns undefined for a field without a meaning of
 * its own in calls; it means what its name means in a batch.
 */
export function meaningsInCalls(field: string): readonly Meaning[] | undefined {
  return MEANINGS.get(field);
}

function meaningsOfLines(): ReadonlyMap<string, readonly Meaning[]> {
  const meanings = new Map<string, Set<IdentityType>>();
  const add = (field: string, type: IdentityType) => meanings.set(field, (meanings.get(field) ?? new Set()).add(type));
  for (const { from, to } of LINES) {
    const type = identityTypeOfColumn(lastName(to));
    if (type === undefined) continue;
    for (const field of from) add(lastName(field), type);
  }
  for (const [field, type] of BESIDES) add(field, type);
  return new Map([...meanings].map(([field, types]) => [field, [...types]]));
}
