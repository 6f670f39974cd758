import { isIP } from 'node:net';
import { fitsInt64, isRawNumber, type Json, parseJson, stringifyJson } from '../../kernel/index.ts';
import { isUuid, type Leaf, type LeafKind } from '../contract/leaves.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MOST_DIGITS = 400;

const isText = (value: Json): value is string => typeof value === 'string';
const isNumeric = (value: Json): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || isRawNumber(value);
export const isSingle = (value: Json): boolean => typeof value !== 'object' || value === null || isRawNumber(value);

/** Returns a number, also one that is written as text, with all its digits. */
function numberOf(value: Json): Json | undefined {
  if (isNumeric(value)) return value;
  if (!isText(value) || value.length > MOST_DIGITS) return undefined;
  const digits = value.trim();
  return JSON_NUMBER.test(digits) ? parseJson(digits) : undefined;
}

function integerOf(value: Json): Json | undefined {
  const number = numberOf(value);
  if (typeof number === 'bigint') return fitsInt64(number) ? number : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

function booleanOf(value: Json): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

const textOf = (value: Json): string => (isText(value) ? value : stringifyJson(value));

const FITS: Readonly<Record<LeafKind, (value: Json) => Json | undefined>> = {
  String: (value) => (isSingle(value) ? value : undefined),
  string: (value) => (isSingle(value) ? textOf(value) : undefined),
  Integer: integerOf,
  Number: numberOf,
  Boolean: booleanOf,
  Uuid: (value) => (isText(value) && isUuid(value) ? value : undefined),
  Ip: (value) => (isText(value) && isIP(value) !== 0 ? value : undefined),
};

/**
 * Returns a value of a call as a place in the batch takes it: numbers and booleans may come as text, text as numbers.
 * Returns undefined for a value that does not fit. Ignores bounds of length: a value that is too long is refused later
 * and never moved elsewhere.
 */
export function fitValue(value: Json, { kind, allowed }: Leaf): Json | undefined {
  if (allowed !== undefined) return isText(value) && allowed.includes(value) ? value : undefined;
  return FITS[kind](value);
}

/** Returns a value for a free key of an event: a single value as it is, anything else as its JSON text. */
export const singleOf = (value: Json): Json => (isSingle(value) ? value : stringifyJson(value));

/** Returns a value as text, for a free key that takes only text. */
export const singleTextOf = (value: Json): string => textOf(singleOf(value));

/** Returns a value for a user attribute: like `singleOf`, but a list of single values stays a list. */
export function attributeOf(value: Json): Json {
  return Array.isArray(value) && value.every(isSingle) ? value : singleOf(value);
}
