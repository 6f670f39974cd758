import type { TSchema } from 'typebox';
import { fieldPath, type Issue, isInt64, type JsonSchema } from '../../kernel/index.ts';

const SHOWN_CHARACTERS = 80;

export type RawParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

interface Coerced {
  readonly values: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[];
}

/**
 * Coerces path and query parameters from text to the types of their schemas. Coercion is strict: `0x10`, ` 1` or `1e3` are no
 * whole numbers, and no digit is lost. Ignores unknown parameters, and gives absent ones their defaults.
 */
export function coerceParameters(schema: TSchema, raw: RawParameters): Coerced {
  const { properties = {} }: JsonSchema = schema;
  const values: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const given = raw[name];
    const outcome = given === undefined || given === '' ? { value: property.default } : coerce(given, property);
    if (outcome.problem !== undefined) issues.push({ path: name, message: outcome.problem });
    else if (outcome.value !== undefined) values[name] = outcome.value;
  }
  return { values, issues };
}

/** Returns an issue for each parameter in `raw` that `schema` does not know; the message lists the known names. */
export function refuseUnknown(schema: TSchema, raw: RawParameters): readonly Issue[] {
  const { properties = {} }: JsonSchema = schema;
  const known = Object.keys(properties);
  const message =
    known.length === 0
      ? 'is not a parameter here; there are none'
      : `is not a parameter here; known are ${known.join(', ')}`;
  return Object.keys(raw)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: fieldPath('', name), message }));
}

interface Outcome {
  readonly value?: unknown;
  readonly problem?: string;
}

// Coerces one parameter. An empty parameter (`?currentPage=&pageSize=`) counts as absent (D-011).
function coerce(given: string | readonly string[], schema: JsonSchema): Outcome {
  if (typeof given !== 'string') return { problem: 'is given more than once; give it once' };
  if (given.includes('\0')) return { problem: 'contains the character U+0000; remove it' };
  if (schema.int64 === true) return int64(given);
  return COERCIONS[String(schema.type)]?.(given) ?? { value: given };
}

const COERCIONS: Readonly<Record<string, (given: string) => Outcome>> = {
  boolean: (given) => {
    const value = given.toLowerCase();
    return value === 'true' || value === 'false' ? { value: value === 'true' } : wrong('true or false', given);
  },
  integer: (given) => {
    const value = Number(given);
    return /^-?\d+$/.test(given) && Number.isSafeInteger(value) ? { value } : wrong('a whole number', given);
  },
  number: (given) =>
    /^-?\d+(\.\d+)?$/.test(given) ? { value: Number(given) } : wrong('a number such as 1 or 1.5', given),
};

function int64(given: string): Outcome {
  const value = /^-?\d{1,19}$/.test(given) ? BigInt(given) : undefined;
  return isInt64(value) ? { value } : wrong('a whole number of 64 bits', given);
}

function wrong(wanted: string, given: string): Outcome {
  return { problem: `must be ${wanted}, is ${JSON.stringify(given.slice(0, SHOWN_CHARACTERS))}` };
}
