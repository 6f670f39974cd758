import { type IdentityType, identityTypeOfColumn, type Meaning } from '../../identity/index.ts';
import { ALIAS_LINES, CALL_LINES, IDENTIFY_LINES, TRAITS_OF_CONTEXT } from './field-lines.ts';

const LINES = [...CALL_LINES, ...TRAITS_OF_CONTEXT, ...IDENTIFY_LINES, ...ALIAS_LINES];

/** Not in the tables: what an SDK calls its user's former id may have been a customer's before, too. */
const BESIDES: readonly (readonly [string, IdentityType])[] = [['previousId', 'customer_id']];

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

const MEANINGS = meaningsOfLines();

/**
 * What a field of an analytics call says of a person, as the mapping of calls to batches has it: `anonymousId` is a device or
 * another id, as its form says. Undefined: nothing but what its name says in a batch too.
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
