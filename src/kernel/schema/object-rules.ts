import { AppError } from '../errors.ts';
import type { JsonSchema } from './json-schema.ts';
import { type Check, complain, complainAt, inTurn, type Scan } from './scan.ts';
import type { Compile, SchemaRules } from './schema-rules.ts';

type Fields = Readonly<Record<string, unknown>>;
type FieldsCheck<Limits> = (fields: Fields, scan: Scan<Limits>) => void;

/** Returns the check of a schema's rules for the fields of an object; undefined where it has none. */
export function objectRules<Limits>(
  schema: JsonSchema,
  rules: SchemaRules<Limits>,
  compile: Compile<Limits>,
): FieldsCheck<Limits> | undefined {
  const missing = missingCheck(schema, rules.missing);
  const present = presentCheck(schema, rules, compile);
  const both = rules.order === 'sent' ? [present, missing] : [missing, present];
  return inTurn([countCheck(schema), ...both].filter((check) => check !== undefined));
}

function countCheck({ minProperties = 0, maxProperties = Infinity }: JsonSchema): FieldsCheck<unknown> | undefined {
  if (minProperties === 0 && maxProperties === Infinity) return undefined;
  return (fields, scan) => {
    const count = Object.keys(fields).length;
    if (count > maxProperties) complain(scan, `must have at most ${maxProperties} fields`);
    if (count < minProperties) complain(scan, `must have at least ${minProperties} fields`);
  };
}

function missingCheck(
  { properties, required = [], anyOf = [] }: JsonSchema,
  messageOf: (field: JsonSchema) => string = () => 'is required',
): FieldsCheck<unknown> | undefined {
  const needs = required.map((name) => ({ name, message: messageOf(properties?.[name] ?? {}) }));
  const oneOf = anyOf.flatMap((branch) => branch.required ?? []);
  const [first, ...others] = oneOf;
  if (needs.length === 0 && first === undefined) return undefined;
  return (fields, scan) => {
    for (const { name, message } of needs) if (fields[name] === undefined) complainAt(scan, name, message);
    if (first === undefined || oneOf.some((name) => fields[name] !== undefined)) return;
    complainAt(scan, first, `is required where ${others.join(' or ')} is not given`);
  };
}

function presentCheck<Limits>(
  schema: JsonSchema,
  rules: SchemaRules<Limits>,
  compile: Compile<Limits>,
): FieldsCheck<Limits> | undefined {
  const { properties = {}, patternProperties, additionalProperties } = schema;
  const known = new Map(Object.entries(properties).map(([name, field]) => [name, compile(field)]));
  if (known.size === 0 && patternProperties === undefined && additionalProperties === undefined) return undefined;
  const ofUnknown = unknownCheck(schema, rules, compile);
  return rules.order === 'sent' ? asSent(known, ofUnknown) : asDeclared(known, ofUnknown);
}

// Walks the sender's fields alone: a batch has few of the 60 that its device may have.
function asSent<Limits>(known: ReadonlyMap<string, Check<Limits>>, ofUnknown: Check<Limits>): FieldsCheck<Limits> {
  return (fields, scan) => {
    for (const name in fields) {
      const check = known.get(name) ?? ofUnknown;
      scan.trail.push(name);
      check(fields[name], scan);
      scan.trail.pop();
    }
  };
}

function asDeclared<Limits>(known: ReadonlyMap<string, Check<Limits>>, ofUnknown: Check<Limits>): FieldsCheck<Limits> {
  return (fields, scan) => {
    const unknown = Object.keys(fields).filter((name) => !known.has(name));
    const names = [...unknown, ...[...known.keys()].filter((name) => fields[name] !== undefined)];
    for (const name of names) {
      const check = known.get(name) ?? ofUnknown;
      scan.trail.push(name);
      check(fields[name], scan);
      scan.trail.pop();
    }
  };
}

function unknownCheck<Limits>(schema: JsonSchema, rules: SchemaRules<Limits>, compile: Compile<Limits>): Check<Limits> {
  const [pattern, ...others] = Object.entries(schema.patternProperties ?? {});
  const otherwise = additionalCheck(schema, rules, compile);
  if (pattern === undefined) return otherwise;
  if (others.length > 0) throw new AppError('INTERNAL', 'A schema of free keys has one pattern.');
  const [source, values] = pattern;
  const [expression, check] = [new RegExp(source, 'u'), compile(values)];
  return (value, scan) => (expression.test(String(scan.trail.at(-1))) ? check : otherwise)(value, scan);
}

function additionalCheck<Limits>(
  { properties = {}, additionalProperties = true }: JsonSchema,
  { unknown = unknownField }: SchemaRules<Limits>,
  compile: Compile<Limits>,
): Check<Limits> {
  if (typeof additionalProperties === 'object') return compile(additionalProperties);
  if (additionalProperties) return compile({});
  const message = unknown(Object.keys(properties));
  return (_value, scan) => complain(scan, message);
}

function unknownField(known: readonly string[]): string {
  return known.length === 0 ? 'is not a field here' : `is not a field of this object; known are ${known.join(', ')}`;
}
