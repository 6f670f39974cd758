import { kindOf, wantedOneOf } from '../show-value.ts';
import { allowedValues, type JsonSchema } from './json-schema.ts';
import { type Check, complain, complainAt, type Scan, startScan } from './scan.ts';
import type { Compile } from './schema-rules.ts';
import { isObject, typeTest, wrongType } from './type-names.ts';

/** Returns the check of a union; undefined where the schema is none, or one of single values alone. */
export function unionCheck<Limits>(schema: JsonSchema, compile: Compile<Limits>): Check<Limits> | undefined {
  const { anyOf, discriminator, properties } = schema;
  if (anyOf === undefined || properties !== undefined || allowedValues(schema) !== undefined) return undefined;
  if (discriminator !== undefined) return kindsCheck(anyOf, discriminator.propertyName, compile);
  const branches = flatten(anyOf);
  const [main, ...others] = branches.filter(({ type }) => type !== 'null');
  const isNullable = main !== undefined && others.length === 0 && branches.length > 1 && isPlainType(main);
  return isNullable ? nullableCheck(compile(main, true)) : branchesCheck(branches, compile);
}

function nullableCheck<Limits>(check: Check<Limits>): Check<Limits> {
  return (value, scan) => (value === null ? undefined : check(value, scan));
}

/** Checks objects that the value of one field tells apart. */
function kindsCheck<Limits>(kinds: readonly JsonSchema[], tag: string, compile: Compile<Limits>): Check<Limits> {
  const checks = new Map(kinds.map((kind) => [kind.properties?.[tag]?.const, compile(kind)]));
  return (value, scan) => {
    if (!isObject(value)) return complain(scan, wrongType(['object'], value));
    const check = checks.get(value[tag]);
    if (check === undefined) complainAt(scan, tag, wantedOneOf([...checks.keys()], value[tag]));
    else check(value, scan);
  };
}

interface Branch<Limits> {
  /** Tells by type and literals whether a caller who sent `value` can have meant this branch. */
  readonly isMeant: (value: unknown) => boolean;
  readonly check: Check<Limits>;
}

/**
 * Checks a union by the one branch that the caller meant, so that an issue names a field and no list of shapes. Where
 * several can be meant, the first one that fits is taken.
 */
function branchesCheck<Limits>(schemas: readonly JsonSchema[], compile: Compile<Limits>): Check<Limits> {
  const branches: readonly Branch<Limits>[] = schemas.map((schema) => ({
    isMeant: meantTest(schema),
    check: compile(schema),
  }));
  const types = schemas.every(isPlainType) ? [...new Set(schemas.flatMap(({ type = [] }) => type))] : undefined;
  const fitsOne = typeTest(types ?? []);
  return (value, scan) => {
    if (types !== undefined && !fitsOne(value)) return complain(scan, wrongType(types, value));
    const [first, ...others] = branches.filter(({ isMeant }) => isMeant(value));
    if (first !== undefined && others.length === 0) return first.check(value, scan);
    const isIn = first !== undefined && [first, ...others].some(({ check }) => passes(check, value, scan));
    if (!isIn) complain(scan, `is ${kindOf(value)} in none of the forms that are allowed here`);
  };
}

function passes<Limits>(check: Check<Limits>, value: unknown, { limits }: Scan<Limits>): boolean {
  const trial = startScan(limits, 1);
  check(value, trial);
  return trial.issues.length === 0;
}

function flatten(branches: readonly JsonSchema[]): readonly JsonSchema[] {
  return branches.flatMap((branch) => {
    const isUnion = branch.anyOf !== undefined && branch.properties === undefined && branch.discriminator === undefined;
    return isUnion && allowedValues(branch) === undefined ? flatten(branch.anyOf) : [branch];
  });
}

const isPlainType = (schema: JsonSchema): boolean => schema.type !== undefined && allowedValues(schema) === undefined;

function meantTest({ type, properties = {}, ...schema }: JsonSchema): (value: unknown) => boolean {
  const fitsType = type === undefined ? () => true : typeTest([type].flat());
  const literals = Object.entries(properties).filter(([, field]) => Object.hasOwn(field, 'const'));
  return (value) => {
    if (!fitsType(value)) return false;
    if (Object.hasOwn(schema, 'const')) return value === schema.const;
    if (!isObject(value)) return true;
    return literals.every(([name, field]) => value[name] === undefined || value[name] === field.const);
  };
}
