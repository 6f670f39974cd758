import { fitsInt64 } from '../../kernel/index.ts';

const WHOLE_NUMBER = /^-?\d{1,19}$/;

/** Returns the MPID that `text` writes in decimal digits; undefined where it is no whole number of 64 bits. */
export function parseMpid(text: string): bigint | undefined {
  const digits = text.trim();
  return WHOLE_NUMBER.test(digits) && fitsInt64(BigInt(digits)) ? BigInt(digits) : undefined;
}
