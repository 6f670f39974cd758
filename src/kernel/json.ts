// Lossless JSON. JSON.parse rounds above 2^53 and JSON.stringify refuses bigint, but every 64-bit id must survive
// exactly (D-003). Ordinary texts, which hold no long digit run, take the engine's own fast path.
import { mayLoseDigits } from './may-lose-digits.ts';

/** A number whose digits a double cannot carry, kept as its text; JSON.stringify writes it back as it came. */
export interface RawNumber {
  readonly rawJSON: string;
}

export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | RawNumber
  | readonly Json[]
  | { readonly [key: string]: Json };

const INTEGER = /^-?\d+$/;

// Node 24 has them; TypeScript's es2024 library does not describe them yet.
declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

function reviveExactly(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  const { source } = context;
  if (INTEGER.test(source)) return Number.isSafeInteger(value) ? value : BigInt(source);
  return isExact(source, value) ? value : JSON.rawJSON(source);
}

/** Tells whether the double prints the same digits as its source, apart from exponent form and trailing zeros. */
function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return significand(source) === significand(String(value));
}

function significand(text: string): string {
  const [mantissa = ''] = text.toLowerCase().split('e');
  return mantissa
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/(?<!0)0+$/, '');
}

/**
 * Parses JSON text. Integers beyond 2^53 become bigint, other numbers a double cannot carry become `RawNumber`.
 * Throws SyntaxError as JSON.parse does. A key `__proto__` stays an own property, as in JSON.parse.
 */
export function parseJson(text: string): Json {
  if (!mayLoseDigits(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, reviveExactly) as Json;
}

/** Writes JSON text; bigint and `RawNumber` become plain JSON numbers with all their digits. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item,
    );
  }
}

/** Wraps the digits of an exact number so that `stringifyJson` writes them as they are. `text` must be a JSON number. */
export function rawNumber(text: string): RawNumber {
  return JSON.rawJSON(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return JSON.isRawJSON(value);
}
