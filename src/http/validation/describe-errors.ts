import type { ErrorObject } from 'ajv';
import { fieldPath, type Issue, isRawNumber, kindOf, quoteValue, wantedOneOf } from '../../kernel/index.ts';
import type { JsonSchema } from './json-schema.ts';
import { reduceUnions } from './reduce-unions.ts';

const MOST_ISSUES = 50;

/** Returns the validator's errors as issues for a person: the path as the caller wrote it, the problem, the fix. */
export function describeErrors(errors: readonly ErrorObject[], root: unknown): readonly Issue[] {
  const reduced = reduceUnions(errors.slice(0, 10 * MOST_ISSUES));
  const empty = new Set(
    reduced.filter(({ keyword }) => keyword === 'minLength').map(({ instancePath }) => instancePath),
  );
  // for a text that is too short, the error of its pattern adds nothing
  const worthSaying = reduced.filter(({ keyword, instancePath }) => keyword !== 'pattern' || !empty.has(instancePath));
  const shown = worthSaying.map((error) => describe(error, root));
  const issues = [...new Map(shown.map((issue) => [`${issue.path} ${issue.message}`, issue])).values()];
  if (issues.length <= MOST_ISSUES) return issues;
  return [...issues.slice(0, MOST_ISSUES), { path: '', message: `and at least ${issues.length - MOST_ISSUES} more` }];
}

function describe(error: ErrorObject, root: unknown): Issue {
  const path = pathOf(error.instancePath, root);
  // the validator sees a number with more digits than a double as an object
  if (isRawNumber(error.data)) return { path, message: wrongType(schemaOf(error).type, error.data) };
  const name: unknown = error.params.missingProperty ?? error.params.additionalProperty ?? error.params.tag;
  return {
    path: typeof name === 'string' ? fieldPath(path, name) : path,
    message: MESSAGES[error.keyword]?.(error) ?? `does not fit: ${error.message ?? error.keyword}`,
  };
}

function pathOf(pointer: string, root: unknown): string {
  let value = root;
  let path = '';
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path = fieldPath(path, Array.isArray(value) ? Number(name) : name);
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  return path;
}

const schemaOf = (error: ErrorObject): JsonSchema => (error.parentSchema ?? {}) as JsonSchema;

/** Predicates, sentences without their subject, for each keyword that contracts use. */
const MESSAGES: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => 'is required',
  additionalProperties: (error) => {
    const known = Object.keys(schemaOf(error).properties ?? {});
    return known.length === 0 ? 'is not a field here' : `is not a field of this object; known are ${known.join(', ')}`;
  },
  type: (error) => `${wrongType(error.params.type, error.data)}${meantText(error)}`,
  int64: ({ data }) =>
    `must be a whole number of 64 bits, is ${isScalarNumber(data) ? quoteValue(data) : kindOf(data)}`,
  enum: ({ params, data }) => wantedOneOf(params.allowedValues, data),
  const: ({ params, data }) => wantedOneOf([params.allowedValue], data),
  discriminator: (error) => wantedOneOf(tagValues(error), error.params.tagValue),
  anyOf: ({ data }) => `is ${kindOf(data)} in none of the forms that are allowed here`,
  oneOf: ({ data }) => `is ${kindOf(data)} in none of the forms that are allowed here`,
  pattern: wrongText,
  format: wrongText,
  minLength: ({ params, data }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters, has ${lengthOf(data)}`,
  maxLength: ({ params, data }) => `must have at most ${params.limit} characters, has ${lengthOf(data)}`,
  minimum: ({ params, data }) => `must be at least ${params.limit}, is ${data}`,
  maximum: ({ params, data }) => `must be at most ${params.limit}, is ${data}`,
  minItems: ({ params, data }) => `must have at least ${params.limit} entries, has ${sizeOf(data)}`,
  maxItems: ({ params, data }) => `must have at most ${params.limit} entries, has ${sizeOf(data)}`,
  uniqueItems: ({ params }) => `has the same entry at ${params.j} and ${params.i}; each may stand there once`,
  minProperties: ({ params }) => `must have at least ${params.limit} fields`,
  maxProperties: ({ params }) => `must have at most ${params.limit} fields`,
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a time with a zone such as 2024-01-31T00:00:00Z',
};

function wrongText(error: ErrorObject): string {
  const { meaning, format = '' } = schemaOf(error);
  const wanted = meaning ?? FORMATS[format] ?? `text that matches ${String(error.schema)}`;
  return `must be ${wanted}, is ${quoteValue(error.data)}`;
}

/** Returns what a text must be, so that a caller who sent a number instead need not try twice. */
function meantText(error: ErrorObject): string {
  const { meaning, format = '' } = schemaOf(error);
  const wanted = meaning ?? FORMATS[format];
  return wanted === undefined ? '' : `; the text must be ${wanted}`;
}

function tagValues(error: ErrorObject): readonly unknown[] {
  const tag = String(error.params.tag);
  return (schemaOf(error).oneOf ?? []).flatMap(({ properties }) => {
    const schema = properties?.[tag];
    return schema?.enum ?? [schema?.const];
  });
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
function wrongType(type: unknown, data: unknown): string {
  const wantsNumber = [type].flat().some((name) => name === 'integer' || name === 'number');
  if (!wantsNumber || kindOf(data) !== 'a number') return `must be ${typeNames(type)}, is ${kindOf(data)}`;
  const bound = typeof data === 'number' ? '' : ' of at most 15 digits';
  return `must be ${typeNames(type)}${bound}, is ${quoteValue(data)}`;
}

function typeNames(type: unknown): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type ?? 'object'];
  return types.map((name) => TYPE_NAMES[String(name)] ?? String(name)).join(' or ');
}

const isScalarNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

const lengthOf = (value: unknown): number => (typeof value === 'string' ? [...value].length : 0);
const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
