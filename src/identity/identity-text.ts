import { itemAt } from '../kernel/index.ts';
import type { HeldIdentity, Identity } from './contract.ts';
import { IDENTITY_TYPES } from './identity-types.ts';
import { matchingForm } from './normalise-identity.ts';
import type { ChunkKeys } from './prepared-people.ts';

/** Formats the identity at a place of the chunk as its profile lists it: `["type","value"]`. */
export function identityText({ types, values }: ChunkKeys, place: number): string {
  return `["${IDENTITY_TYPES[types[place] as number]}",${JSON.stringify(values[place])}]`;
}

const PUBLIC = 'public';

/** Formats several identities between commas, the newest first, those of public keys with a mark; empty for none. */
export function identitiesText(keys: ChunkKeys, added: readonly number[] | undefined): string {
  if (added === undefined) return '';
  let text = '';
  for (const place of added) {
    const one = identityText(keys, place);
    const marked = keys.publicPlaces.has(place) ? `${one.slice(0, -1)},"${PUBLIC}"]` : one;
    text = marked + (text === '' ? '' : `,${text}`);
  }
  return text;
}

/** An identity as its profile lists it. */
export interface ListedIdentity extends Identity {
  /** The identity came from public keys alone. */
  readonly isPublic: boolean;
}

/**
 * Reads the list of a profile. An identity that another source brought after a public key stands there twice, and counts as
 * verified.
 */
export function parseIdentityList(text: string): readonly ListedIdentity[] {
  const listed = (JSON.parse(text) as [Identity['type'], string, string?][]).map(
    ([type, value, mark]): ListedIdentity => ({ type, value, isPublic: mark === PUBLIC }),
  );
  if (!listed.some(({ isPublic }) => isPublic)) return listed;
  const vouched = new Set(listed.filter(({ isPublic }) => !isPublic).map(nameOf));
  return listed.filter((identity) => !identity.isPublic || !vouched.has(nameOf(identity)));
}

export function formatIdentityList(identities: readonly ListedIdentity[]): string {
  return JSON.stringify(identities.map(({ type, value, isPublic }) => [type, value, ...(isPublic ? [PUBLIC] : [])]));
}

/** Returns the identities as they are shown: those of public keys are unverified where the profile holds a login identity. */
export function parseHeldIdentities(text: string, holdsLogin: boolean): readonly HeldIdentity[] {
  return parseIdentityList(text).map(({ type, value, isPublic }) => {
    return isPublic && holdsLogin ? { type, value, isUnverified: true } : { type, value };
  });
}

/** SQL: whether the identity in the row `i` of profile_identities is unverified on its profile `p`. */
export const IS_UNVERIFIED = '(i.is_public AND p.holds_login) IS TRUE';

/** Names an identity by one text that is the same for all values that match. */
export const nameOf = (identity: Identity): string => `${identity.type}\n${matchingForm(identity)}`;

export function nameOfPlace({ types, values }: ChunkKeys, place: number): string {
  return nameOf({ type: itemAt(IDENTITY_TYPES, itemAt(types, place)), value: itemAt(values, place) });
}
