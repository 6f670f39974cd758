// Descriptions of a wrong value, the same in every message that refuses one.
import { isRawNumber } from './json.ts';

const SHOWN_CHARACTERS = 80;

/** Names the kind of a value: `text`, `a number`, `a list`, `an object`, `null`, `true`, `false` or `nothing`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'bigint' || isRawNumber(value)) return 'a number';
  return typeof value === 'string' ? 'text' : 'an object';
}

/** Quotes short single values. Long ones, lists and objects are only named by their kind. */
export function quoteValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return quoteNumber(String(value));
  if (isRawNumber(value)) return quoteNumber(value.rawJSON);
  if (typeof value !== 'string') return kindOf(value);
  return value.length > SHOWN_CHARACTERS ? `text of ${value.length} characters` : JSON.stringify(value);
}

function quoteNumber(digits: string): string {
  return digits.length > SHOWN_CHARACTERS ? `a number of ${digits.length} characters` : digits;
}

/** Says that only some values are allowed, and what stands there instead; undefined: nothing. */
export function wantedOneOf(values: readonly unknown[], value: unknown): string {
  const allowed = values.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  const list = allowed.length === 1 ? allowed[0] : `one of ${allowed.join(', ')}`;
  return value === undefined ? `is required and must be ${list}` : `must be ${list}, is ${quoteValue(value)}`;
}
