import type { Issue } from '../kernel/index.ts';
import type { Identity } from './contract.ts';
import { type IdentityType, isDeviceId } from './identity-types.ts';

const MOST_BYTES = 1024;

/**
 * Returns an identity as it is stored, trimmed and otherwise as given, or the problem of its value (D-010). The `path`
 * of the issue is the type; a caller that knows a better one (a column, a path in a body) replaces it.
 */
export function normaliseIdentity(type: IdentityType, given: string): Identity | Issue {
  const value = given.trim();
  const complaint = complaintAbout(value);
  return complaint === undefined ? { type, value } : { path: type, message: complaint };
}

export function isIdentity(result: Identity | Issue): result is Identity {
  return 'type' in result;
}

const ALL_ZERO = /^0{8}-?(?:0{4}-?){3}0{12}$/;

/**
 * Tells whether an identity is the all-zero id, which a device that must not be tracked gives in place of its own. All such
 * devices give the same, so it identifies none of them and would merge strangers into one person. It is no identity, whatever
 * its source. A batch keeps it as a statement about the device.
 */
export function isAllZeroId({ type, value }: Identity): boolean {
  return value.startsWith('00000000') && isDeviceId(type) && ALL_ZERO.test(value);
}

function complaintAbout(value: string): string | undefined {
  if (value === '') return 'is empty; leave the identity out or give it a value.';
  if (value.includes('\0')) return 'contains the character U+0000, which cannot be stored; remove it.';
  if (!value.isWellFormed()) return 'contains half of a surrogate pair, which is not valid text; remove it.';
  // three bytes a UTF-16 unit at most: only long values are counted
  if (value.length * 3 > MOST_BYTES && Buffer.byteLength(value) > MOST_BYTES) {
    return `is longer than ${MOST_BYTES} bytes.`;
  }
  return undefined;
}

/** Returns the form in which identities are compared: e-mail in lower case (D-010). */
export function matchingForm({ type, value }: Identity): string {
  return type === 'email' ? value.toLowerCase() : value;
}
