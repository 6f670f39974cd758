import type { Cell } from '../warehouse/index.ts';

export interface IdentityFault {
  readonly rule: 'identity_type' | 'identity_empty' | 'identity_too_long' | 'value_text' | 'mpid_invalid';
  readonly reason: string;
}

const MOST_BYTES = 1024;
/** A character of a JavaScript string takes at most three bytes in UTF-8. */
const SAFE_CHARS = Math.floor(MOST_BYTES / 3);
// biome-ignore lint/suspicious/noControlCharactersInRegex: U+0000 is what it looks for
const NEEDS_CARE = /[\u0000\ud800-\udfff]/;
const WHOLE_NUMBER = /^-?\d+$/;
const MPID_LEAST = -(2n ** 63n);
const MPID_MOST = 2n ** 63n - 1n;

const WRONG_TYPE: IdentityFault = {
  rule: 'identity_type',
  reason: 'An identity must be text or a whole number. Cast the column to text in the model.',
};
const BAD_MPID: IdentityFault = {
  rule: 'mpid_invalid',
  reason: 'An MPID must be a whole number of 64 bits with a sign.',
};

/** An identity value as text, trimmed (rulings §1); numbers keep all their digits. NULL does not come here. */
export function identityText(cell: Cell): string | IdentityFault {
  if (typeof cell === 'string') return checkedText(cell.trim());
  if (typeof cell === 'bigint') return String(cell);
  if (typeof cell === 'number' && Number.isSafeInteger(cell)) return String(cell);
  return WRONG_TYPE;
}

function checkedText(text: string): string | IdentityFault {
  if (text === '') {
    return { rule: 'identity_empty', reason: 'The identity is empty. Select NULL where a person has none.' };
  }
  if (text.length > SAFE_CHARS && Buffer.byteLength(text) > MOST_BYTES) {
    return { rule: 'identity_too_long', reason: `The identity takes ${Buffer.byteLength(text)} bytes; at most 1,024 are allowed.` };
  }
  if (NEEDS_CARE.test(text) && (text.includes('\u0000') || !text.isWellFormed())) {
    return { rule: 'value_text', reason: 'The identity holds U+0000 or half of a surrogate pair, which cannot be stored.' };
  }
  return text;
}

/** A number, or its decimal text (rulings §1). */
export function mpidOf(cell: Cell): bigint | IdentityFault {
  const value = wholeNumber(cell);
  return value === undefined || value < MPID_LEAST || value > MPID_MOST ? BAD_MPID : value;
}

function wholeNumber(cell: Cell): bigint | undefined {
  if (typeof cell === 'bigint') return cell;
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? BigInt(cell) : undefined;
  return typeof cell === 'string' && WHOLE_NUMBER.test(cell.trim()) ? BigInt(cell.trim()) : undefined;
}
