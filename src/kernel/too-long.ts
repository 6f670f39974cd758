import { countCharacters } from './count-characters.ts';
import { isRawNumber } from './json.ts';

/** Returns the problem of a value with more than `limit` characters, as people count them: a surrogate pair is one. */
export function tooLong(value: unknown, limit: number): string | undefined {
  if (typeof value === 'boolean' || typeof value === 'number') return undefined;
  const text = isRawNumber(value) ? value.rawJSON : String(value);
  if (text.length <= limit) return undefined;
  const characters = countCharacters(text);
  return characters <= limit ? undefined : `has ${characters} characters; at most ${limit} are allowed`;
}
