import type { JsonSchema } from './json-schema.ts';
import type { Check } from './scan.ts';

/** Compiles a part of a schema. `orNull`: null stands there too, and was looked at before. */
export type Compile<Limits> = (schema: JsonSchema, orNull?: boolean) => Check<Limits>;

/** Rules of a room beside those of JSON Schema, and its words for some issues. */
export interface SchemaRules<Limits> {
  /** Returns the check of a schema that carries a rule of the room; undefined for one that is plain JSON Schema. */
  readonly own?: (schema: JsonSchema, compile: Compile<Limits>, orNull: boolean) => Check<Limits> | undefined;
  /** Checks a value that may be anything. */
  readonly anything?: Check<Limits>;
  /** Order of the issues of one object: that of the schema, what is missing first, or that of the sender's fields. */
  readonly order?: 'declared' | 'sent';
  /** Message for a required field that is missing. */
  readonly missing?: (field: JsonSchema) => string;
  /** Message for a field that a closed object does not know. */
  readonly unknown?: (known: readonly string[]) => string;
  /** Message for a value of the wrong type. */
  readonly wrongType?: (types: readonly string[], value: unknown) => string;
}
