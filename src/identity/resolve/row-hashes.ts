/** Length of a row's hash, which as text is 16 characters, one a byte. */
export const HASH_BYTES = 16;

export function hashText(hashes: Buffer, row: number): string {
  return hashes.toString('latin1', row * HASH_BYTES, (row + 1) * HASH_BYTES);
}

/**
 * Tells whether the 16 bytes number `at` of `blocks` equal `text`, which has one character a byte, without making a text of
 * them.
 */
export function isBlock(blocks: Buffer, at: number, text: string | null): boolean {
  if (text === null) return false;
  const from = at * HASH_BYTES;
  for (let byte = 0; byte < HASH_BYTES; byte++) if (blocks[from + byte] !== text.charCodeAt(byte)) return false;
  return true;
}

export function isSameBlock(blocks: Buffer, left: number, right: number): boolean {
  return isBlockAt(blocks, left, { bytes: blocks, from: right * HASH_BYTES });
}

/** Tells whether the 16 bytes number `at` of `blocks` equal those of `bytes` from `from` on. */
export function isBlockAt(blocks: Buffer, at: number, { bytes, from }: Place): boolean {
  const start = at * HASH_BYTES;
  for (let byte = 0; byte < HASH_BYTES; byte++) if (blocks[start + byte] !== bytes[from + byte]) return false;
  return true;
}

interface Place {
  readonly bytes: Buffer;
  readonly from: number;
}
