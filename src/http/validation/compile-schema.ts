import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { AppError, type Issue, parseInstant } from '../../kernel/index.ts';
import { isInt64 } from '../int64.ts';
import { describeErrors } from './describe-errors.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * A check that returns the issues of a value, none where it fits.
 * `thorough` asks for all of them; without it the first one is enough.
 */
export type Check = (value: unknown, thorough: boolean) => readonly Issue[];

const isInstant = (text: string) => parseInstant(text) !== undefined;

/** Creates a validator that coerces, strips and defaults nothing: a handler sees what the caller sent (D-007). */
function createValidator(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    allErrors,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    discriminator: true,
    // a field named `constructor` or `__proto__` must be a field like any other
    ownProperties: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    logger: false,
  });
  ajv.addKeyword({
    keyword: 'int64',
    schemaType: 'boolean',
    validate: (_schema: boolean, value: unknown) => isInt64(value),
  });
  // describes a pattern or a format in words: `letters, digits, "_" and "-"`
  ajv.addKeyword({ keyword: 'meaning', schemaType: 'string' });
  ajv.addFormat('date-time', isInstant);
  return ajv;
}

const firstError = createValidator(false);
const everyError = createValidator(true);

/**
 * Compiles a schema once, at the first value: compiling all schemas of the API took a fifth of a daemon's start.
 * The thorough form is compiled when the first value does not fit.
 */
export function compileSchema(schema: TSchema): Check {
  let fits: ValidateFunction | undefined;
  let explain: ValidateFunction | undefined;
  return (value, thorough) => {
    fits ??= firstError.compile(schema);
    if (fits(value)) return [];
    if (!thorough) return describeErrors(errorsOf(fits), value);
    explain ??= everyError.compile(schema);
    explain(value);
    return describeErrors(errorsOf(explain), value);
  };
}

function errorsOf(validate: ValidateFunction): readonly ErrorObject[] {
  return validate.errors ?? [];
}

/**
 * Throws at the start for an object schema that does not say whether it is closed, since an open one would let unknown fields
 * in silently.
 */
export function assertStatesClosedness(schema: JsonSchema, where: string): void {
  if (schema.properties !== undefined && schema.additionalProperties === undefined) {
    throw new AppError('INTERNAL', `The schema of ${where} does not say additionalProperties; false closes it.`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    assertStatesClosedness(property, `${where}.${name}`);
  }
  const parts = [schema.items, schema.additionalProperties, ...unionParts(schema)];
  for (const part of parts) if (typeof part === 'object') assertStatesClosedness(part, `${where}[]`);
}

function unionParts({ anyOf = [], oneOf = [], allOf = [] }: JsonSchema): readonly JsonSchema[] {
  return [...anyOf, ...oneOf, ...allOf];
}
