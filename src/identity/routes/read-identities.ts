import { fieldPath, type Issue, isRawNumber, quoteValue } from '../../kernel/index.ts';
import type { Identity } from '../contract.ts';
import { type IdentityType, identityTypeOfField } from '../identity-types.ts';
import { isAllZeroId, isIdentity, matchingForm, normaliseIdentity } from '../normalise-identity.ts';

export interface ReadIdentities {
  readonly identities: readonly Identity[];
  /** Spelling that the request uses for each type; answers use the same. */
  readonly spelled: ReadonlyMap<IdentityType, string>;
}

type Fields = Readonly<Record<string, unknown>> | null | undefined;

/** Reads the identities of `known_identities` and `user_identities`, with all their spellings in one set of types. */
export function readIdentities(objects: Readonly<Record<string, Fields>>, issues: Issue[]): ReadIdentities {
  const found = new Map<IdentityType, Identity>();
  const spelled = new Map<IdentityType, string>();
  for (const [parent, fields] of Object.entries(objects)) {
    for (const [name, value] of Object.entries(fields ?? {})) {
      const identity = readIdentity({ name, path: fieldPath(parent, name) }, value, issues);
      if (identity === undefined) continue;
      const other = found.get(identity.type);
      if (other !== undefined && matchingForm(other) !== matchingForm(identity)) {
        const message = `is another spelling of ${identity.type} with a different value; send only one of them`;
        issues.push({ path: fieldPath(parent, name), message });
      }
      found.set(identity.type, identity);
      spelled.set(identity.type, name);
    }
  }
  return { identities: [...found.values()], spelled };
}

interface Field {
  /** Spelling of the type. */
  readonly name: string;
  readonly path: string;
}

/**
 * Reads a value as an identity. Returns undefined for null, for the all-zero id, and for a value that is no identity, which
 * becomes an issue.
 */
export function readIdentity({ name, path }: Field, value: unknown, issues: Issue[]): Identity | undefined {
  const type = identityTypeOfField(name);
  // the contract has refused unknown names
  if (type === undefined || value === null || value === undefined) return undefined;
  const text = textOf(value);
  const identity = text === undefined ? notSingle(path, value) : normaliseIdentity(type, text);
  if (!isIdentity(identity)) {
    issues.push({ path, message: identity.message });
    return undefined;
  }
  return isAllZeroId(identity) ? undefined : identity;
}

/** Returns a String as text. Numbers keep all their digits (docs/spec/events.md#type-conventions). */
export function textOf(value: unknown): string | undefined {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

function notSingle(path: string, value: unknown): Issue {
  return { path, message: `must be text, a number, true, false or null, is ${quoteValue(value)}` };
}
