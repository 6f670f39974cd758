import { refuse } from '../../kernel/index.ts';

const LONGEST = 256;
// control characters and lone surrogates: the store or a terminal cannot show them
const UNPRINTABLE = /\p{Cc}|\p{Cs}/u;

/**
 * Returns a name as people give it, trimmed.
 * Throws VALIDATION_FAILED for one that is empty, over 256 characters or unprintable.
 */
export function readName(path: string, text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= LONGEST && !UNPRINTABLE.test(name)) return name;
  throw refuse([{ path, message: `must be 1 to ${LONGEST} printable characters.` }]);
}
