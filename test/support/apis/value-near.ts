import fc, { type GeneratorValue } from 'fast-check';
import type { JsonSchema } from '../../../src/kernel/index.ts';

const OTHERS = [
  ...[null, true, 5, -1, 1.5, 1e300, '', 'x', 'a b', 'https://a.example', '2024-01-31T00:00:00Z', 'a'.repeat(5000)],
  ...['\u{1f600}'.repeat(15), [], {}, [1], ['x', 'x'], { a: 1 }, { type: 'x' }, 2n ** 62n, 2n ** 63n],
];

/** Returns a value that fits a schema, or one that differs from such a value in a place or two. */
export function valueNear(schema: JsonSchema, generate: GeneratorValue): unknown {
  if (generate(fc.nat, { max: 15 }) === 0) return structuredClone(generate(fc.constantFrom, ...OTHERS));
  const branches = schema.properties === undefined ? schema.anyOf : undefined;
  if (branches !== undefined) return valueNear(generate(fc.constantFrom, ...branches), generate);
  if (Object.hasOwn(schema, 'const')) return schema.const;
  if (schema.enum !== undefined) return generate(fc.constantFrom, ...schema.enum);
  if (schema.int64 === true) return generate(fc.maxSafeInteger);
  return NEAR[[schema.type ?? 'none'].flat()[0] ?? 'none']?.(schema, generate);
}

const NEAR: Readonly<Record<string, (schema: JsonSchema, generate: GeneratorValue) => unknown>> = {
  object: objectNear,
  array: ({ items = {}, minItems = 0 }, generate) =>
    Array.from({ length: minItems + generate(fc.nat, { max: 2 }) }, () => valueNear(items, generate)),
  string: ({ format, minLength = 0 }, generate) =>
    format === 'date-time'
      ? '2024-01-31T00:00:00Z'
      : `${generate(fc.constantFrom, 'abc', 'a-b', 'A')}`.padEnd(minLength, 'z'),
  integer: ({ minimum = 0 }, generate) => minimum + generate(fc.nat, { max: 2 }),
  number: ({ minimum = 0 }, generate) => minimum + generate(fc.nat, { max: 2 }),
  boolean: (_schema, generate) => generate(fc.boolean),
  null: () => null,
  none: () => 'anything',
};

function objectNear(schema: JsonSchema, generate: GeneratorValue): unknown {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema;
  const fields = Object.entries(properties)
    .filter(([name]) => generate(fc.nat, { max: 9 }) > (required.includes(name) ? 0 : 4))
    .map(([name, field]) => [name, valueNear(field, generate)]);
  const [free] = [...Object.values(patternProperties), additionalProperties].filter((part) => typeof part === 'object');
  const others =
    generate(fc.nat, { max: 9 }) === 0 || free !== undefined ? [['other', valueNear(free ?? {}, generate)]] : [];
  return Object.fromEntries([...fields, ...others]);
}
