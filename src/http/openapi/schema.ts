import { allowedValues, type Discriminator, type JsonSchema } from '../../kernel/index.ts';

type Written = Readonly<Record<string, unknown>>;

export interface SchemaWriter {
  /** Writes a schema as OpenAPI 3.1. A schema with a title goes into the components and is written as a reference. */
  write(schema: JsonSchema): Written;
  readonly components: Readonly<Record<string, Written>>;
}

const NAME = /^[A-Z]\w*$/;

/**
 * Creates a writer of schemas. TypeBox schemas are JSON Schema, which OpenAPI 3.1 takes as is, apart from what this room added.
 */
export function schemaWriter(): SchemaWriter {
  const components: Record<string, Written> = {};
  const write = (schema: JsonSchema): Written => {
    const written = writeOne(schema, write);
    const { title } = schema;
    if (title === undefined || !NAME.test(title)) return written;
    components[title] ??= written;
    // of two shapes with the same title, the second is written in place
    return JSON.stringify(components[title]) === JSON.stringify(written)
      ? { $ref: `#/components/schemas/${title}` }
      : written;
  };
  return { write, components };
}

function writeOne(schema: JsonSchema, write: (schema: JsonSchema) => Written): Written {
  const { int64, meaning, anyOf, discriminator, ...rest } = schema;
  const values = anyOf === undefined ? undefined : allowedValues(schema);
  return {
    ...mapParts(rest, write),
    ...(discriminator && { discriminator: withMapping(discriminator, anyOf ?? [], write) }),
    ...(int64 === true ? { type: 'integer', format: 'int64' } : {}),
    ...(meaning === undefined || rest.description !== undefined ? {} : { description: `Must be ${meaning}.` }),
    ...(values === undefined ? { ...(anyOf && { anyOf: anyOf.map(write) }) } : { enum: values }),
  };
}

/** Maps each value of the discriminator to its shape: clients look shapes up by name, and the values are not the names. */
function withMapping(
  { propertyName }: Discriminator,
  branches: readonly JsonSchema[],
  write: (schema: JsonSchema) => Written,
): Written {
  const pairs = branches.flatMap((branch) => {
    const { $ref } = write(branch);
    return $ref === undefined ? [] : [[String(branch.properties?.[propertyName]?.const), $ref] as const];
  });
  return { propertyName, ...(pairs.length === 0 ? {} : { mapping: Object.fromEntries(pairs) }) };
}

function mapParts(schema: JsonSchema, write: (schema: JsonSchema) => Written): Written {
  const { properties, patternProperties, items, additionalProperties } = schema;
  const writeAll = (parts: Readonly<Record<string, JsonSchema>>) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, write(part)]));
  return {
    ...schema,
    ...(properties && { properties: writeAll(properties) }),
    ...(patternProperties && { patternProperties: writeAll(patternProperties) }),
    ...(items && { items: write(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: write(additionalProperties) }),
  };
}
