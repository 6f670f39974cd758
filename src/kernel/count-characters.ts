/** Counts characters as people do: a surrogate pair is one. Allocates nothing, since a caller decides how long a text is. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}
