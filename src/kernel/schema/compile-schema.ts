// The one validator of Penstock: a schema is compiled into closures, which walk a value and say what is wrong with it
// (D-116). JSON Schema is the common language; a room may add rules of its own.
import type { TSchema } from 'typebox';
import { AppError, type Issue } from '../errors.ts';
import type { JsonSchema } from './json-schema.ts';
import { listRules } from './list-rules.ts';
import { objectRules } from './object-rules.ts';
import { type Check, complain, inTurn, isFull, startScan } from './scan.ts';
import type { Compile, SchemaRules } from './schema-rules.ts';
import { meaningOf, singleRules } from './single-rules.ts';
import { isObject, typeTest, wrongType } from './type-names.ts';
import { unionCheck } from './union-check.ts';

/** Returns at most `most` issues of a value, none where it fits. */
export type SchemaCheck = (value: unknown, most: number) => readonly Issue[];

/** Compiles a schema with the first value. Nothing of a value is changed, filled in or left out (D-007). */
export function compileSchema(schema: TSchema, rules: SchemaRules<undefined> = {}): SchemaCheck {
  let check: Check<undefined> | undefined;
  return (value, most) => {
    check ??= compileCheck(schema, rules);
    const scan = startScan(undefined, most);
    check(value, scan);
    return scan.issues;
  };
}

/** Compiles a schema into one closure, for a room with rules or bounds of its own. Throws for a rule that it does not know. */
export function compileCheck<Limits>(schema: TSchema, rules: SchemaRules<Limits>): Check<Limits> {
  const compile: Compile<Limits> = (part, orNull = false) => {
    const own = rules.own?.(part, compile, orNull);
    if (own !== undefined) return own;
    refuseUnknownRules(part);
    const checks = [typedCheck(part, { rules, compile, orNull }), ...singleRules(part), unionCheck(part, compile)];
    const check = inTurn(checks.filter((one) => one !== undefined)) ?? rules.anything ?? (() => undefined);
    return refined(part, check);
  };
  return compile(schema);
}

/** Rules for the parts of a value, by the one type of a schema for which they are checked. */
const PART_KEYWORDS = {
  object: ['properties', 'patternProperties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
};

/** Other rules, and words about a schema. */
const KEYWORDS = [
  ['type', 'int64', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'const', 'enum'],
  ['anyOf', 'discriminator', '~refine', 'title', 'description', 'meaning', 'contentMediaType', 'default', 'examples'],
].flat();

/** Throws for a rule that nobody checks: it would let everything pass. */
function refuseUnknownRules(schema: JsonSchema): void {
  const ofParts = schema.type === 'object' || schema.type === 'array' ? PART_KEYWORDS[schema.type] : [];
  const known = new Set([...KEYWORDS, ...ofParts]);
  const unknown = Object.keys(schema).filter((keyword) => !known.has(keyword));
  if (unknown.length > 0)
    throw new AppError('INTERNAL', `A schema has rules that nobody checks: ${unknown.join(', ')}.`);
}

interface Compiling<Limits> {
  readonly rules: SchemaRules<Limits>;
  readonly compile: Compile<Limits>;
  readonly orNull: boolean;
}

/** Returns the check of a schema's type, and of the rules for the parts of an object or a list. */
function typedCheck<Limits>(
  schema: JsonSchema,
  { rules, compile, orNull }: Compiling<Limits>,
): Check<Limits> | undefined {
  if (schema.type === undefined) return undefined;
  const types = [schema.type].flat();
  const complainOfType = typeComplaint(schema, { types, orNull, wordsOf: rules.wrongType ?? wrongType });
  if (schema.type === 'object') {
    const look = objectRules(schema, rules, compile);
    return (value, scan) => (isObject(value) ? look?.(value, scan) : complainOfType(value, scan));
  }
  if (schema.type === 'array') {
    const look = listRules(schema, compile);
    return (value, scan) => (Array.isArray(value) ? look?.(value, scan) : complainOfType(value, scan));
  }
  const fits = typeTest(types);
  return (value, scan) => (fits(value) ? undefined : complainOfType(value, scan));
}

interface TypeWords {
  readonly types: readonly string[];
  readonly orNull: boolean;
  readonly wordsOf: typeof wrongType;
}

function typeComplaint(schema: JsonSchema, { types, orNull, wordsOf }: TypeWords): Check {
  if (orNull) return (value, scan) => complain(scan, wordsOf([...types, 'null'], value));
  const meaning = meaningOf(schema);
  // a caller who sent a number instead of a text need not try twice
  const further = meaning === undefined ? '' : `; the text must be ${meaning}`;
  return (value, scan) => complain(scan, `${wordsOf(types, value)}${further}`);
}

function refined<Limits>({ '~refine': refinements = [] }: JsonSchema, check: Check<Limits>): Check<Limits> {
  if (refinements.length === 0) return check;
  return (value, scan) => {
    if (isFull(scan)) return;
    const before = scan.issues.length;
    check(value, scan);
    if (scan.issues.length > before) return;
    for (const refinement of refinements) if (!refinement.check(value)) complain(scan, refinement.error(value));
  };
}
