/** Part of a schema that this room reads; TypeBox schemas are JSON Schema. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly int64?: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly meaning?: string;
  readonly format?: string;
  /** Media type of a text. */
  readonly contentMediaType?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly discriminator?: Discriminator;
}

/** The field whose value tells which branch of `anyOf` an object is. */
export interface Discriminator {
  readonly propertyName: string;
}

/** Returns the values of an enum, a literal, or a union of them; undefined for any other schema. */
export function allowedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (schema.enum !== undefined) return schema.enum;
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  const branches = (schema.anyOf ?? schema.oneOf)?.map(allowedValues);
  if (branches === undefined || branches.some((values) => values === undefined)) return undefined;
  return branches.flatMap((values) => values ?? []);
}
