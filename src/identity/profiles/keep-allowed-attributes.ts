import type { WorkspaceSettings } from '../../access/index.ts';
import { itemAt } from '../../kernel/index.ts';
import type { AttributeSet } from '../contract.ts';

/** The attributes that callers with a public key alone may set and remove. */
export type AllowedAttributes = WorkspaceSettings['publicKeys']['attributes'];

/** Drops the attributes that are not allowed, as if they had not been sent. */
export function keepAllowedAttributes(set: AttributeSet, allowed: AllowedAttributes): AttributeSet {
  if (allowed === 'any') return set;
  const isAllowed = (name: string): boolean => allowed !== 'none' && allowed.includes(name);
  return {
    names: set.names.filter(isAllowed),
    texts: set.texts.filter((_, index) => isAllowed(itemAt(set.names, index))),
  };
}
