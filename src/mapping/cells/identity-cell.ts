import { type Identity, type IdentityType, isIdentity, normaliseIdentity } from '../../identity/index.ts';
import { fitsInt64 } from '../../kernel/index.ts';
import type { Cell } from '../../warehouse/index.ts';

export interface IdentityFault {
  readonly rule: 'identity_type' | 'identity_invalid' | 'mpid_invalid';
  readonly reason: string;
}

const WHOLE_NUMBER = /^-?\d+$/;

const WRONG_TYPE: IdentityFault = {
  rule: 'identity_type',
  reason: 'An identity must be text or a whole number. Cast the column to text in the model.',
};
const BAD_MPID: IdentityFault = {
  rule: 'mpid_invalid',
  reason: 'An MPID must be a whole number of 64 bits with a sign.',
};

/** Returns the identity in a cell of a reserved column; numbers keep all their digits. The cell must not be NULL. */
export function identityOf(type: IdentityType, cell: Cell): Identity | IdentityFault {
  const text = textOf(cell);
  if (text === undefined) return WRONG_TYPE;
  const identity = normaliseIdentity(type, text);
  return isIdentity(identity) ? identity : { rule: 'identity_invalid', reason: `The identity ${identity.message}` };
}

function textOf(cell: Cell): string | undefined {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'number' && Number.isSafeInteger(cell) ? String(cell) : undefined;
}

/** Reads an MPID, which may be a number or its decimal text (D-003). */
export function mpidOf(cell: Cell): bigint | IdentityFault {
  const text = textOf(cell)?.trim();
  if (text === undefined || !WHOLE_NUMBER.test(text)) return BAD_MPID;
  const value = BigInt(text);
  return fitsInt64(value) ? value : BAD_MPID;
}
