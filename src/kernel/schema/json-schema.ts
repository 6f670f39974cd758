/** Part of JSON Schema that contracts use, as TypeBox writes it. `compileSchema` refuses any other rule. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  /** A whole number of 64 bits, which may come as a bigint. */
  readonly int64?: boolean;
  readonly title?: string;
  readonly description?: string;
  /** Describes a pattern or a format in words: `letters, digits, "_" and "-"`. */
  readonly meaning?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Media type of a text. */
  readonly contentMediaType?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly discriminator?: Discriminator;
  /** Rules in code, from `Type.Refine`; asked once the value fits the rest of the schema. */
  readonly '~refine'?: readonly Refinement[];
}

/** The field whose value tells which branch of `anyOf` an object is. */
export interface Discriminator {
  readonly propertyName: string;
}

interface Refinement {
  check(value: unknown): boolean;
  error(value: unknown): string;
}

/** Returns the values of an enum, a literal, or a union of them; undefined for any other schema. */
export function allowedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (schema.enum !== undefined) return schema.enum;
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  const branches = schema.anyOf?.map(allowedValues);
  if (branches === undefined || branches.some((values) => values === undefined)) return undefined;
  return branches.flatMap((values) => values ?? []);
}
