import { AppError } from '../errors.ts';
import { isRawNumber } from '../json.ts';
import { kindOf, quoteValue } from '../show-value.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Tells whether a value is an object of JSON. A number with more digits than a double has is a JavaScript object, too. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/** Returns the test for a type of JSON Schema. Throws for a type that is none. */
export function typeTest(types: readonly string[]): (value: unknown) => boolean {
  const tests = types.map((type) => {
    const fits = FITS[type];
    if (fits === undefined) throw new AppError('INTERNAL', `"${type}" is no type of JSON Schema.`);
    return fits;
  });
  const [only, ...others] = tests;
  if (only !== undefined && others.length === 0) return only;
  return (value) => tests.some((fits) => fits(value));
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/**
 * Returns the message for a value of the wrong type.
 * Shows a number of the wrong kind: `1.5` for a whole number, or digits that a double would lose.
 */
export function wrongType(types: readonly string[], value: unknown): string {
  const wanted = types.map((type) => TYPE_NAMES[type] ?? type).join(' or ');
  const wantsNumber = types.includes('integer') || types.includes('number');
  if (!wantsNumber || kindOf(value) !== 'a number') return `must be ${wanted}, is ${kindOf(value)}`;
  const bound = typeof value === 'number' ? '' : ' of at most 15 digits';
  return `must be ${wanted}${bound}, is ${quoteValue(value)}`;
}
