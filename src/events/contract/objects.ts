import { type Static, type TOptional, type TProperties, type TSchema, type TUnion, type TUnsafe, Type } from 'typebox';

/** The bounds of a map of free keys (D-031); `names` bounds each key. */
export interface MapLimits {
  readonly names?: true;
  readonly fields?: 'attributesPerEvent' | 'userAttributesPerBatch';
}

/** Key of a map's `MapLimits`, as `LEAF` is the key of a single value's `Leaf`. */
export const MAP_LIMITS = Symbol('limits');

/** Name and examples of a shape, for the reference page and generated clients. */
interface Shown {
  readonly title?: string;
  readonly examples?: readonly unknown[];
}

/** Makes an object that refuses unknown fields. */
export const closed = <Properties extends TProperties>(properties: Properties, shown: Shown = {}) =>
  Type.Object(properties, { additionalProperties: false, ...shown });

/** Lets unknown fields through, unchecked. */
export const open = <Properties extends TProperties>(properties: Properties, shown: Shown = {}) =>
  Type.Object(properties, { additionalProperties: true, ...shown });

/** Makes an object of free keys. Keys may contain line breaks, which the pattern of a TypeBox record does not match. */
export const mapOf = <Values extends TSchema>(
  values: Values,
  limits: MapLimits = {},
): TUnsafe<Readonly<Record<string, Static<Values>>>> =>
  Type.Unsafe({ type: 'object', additionalProperties: values, [MAP_LIMITS]: limits });

export const nullable = <Schema extends TSchema>(schema: Schema): TUnion<[Schema, ReturnType<typeof Type.Null>]> =>
  Type.Union([schema, Type.Null()]);

/** Makes a field that may be absent or null, as every optional field that holds an object or a list (D-028). */
export const maybe = <Schema extends TSchema>(
  schema: Schema,
): TOptional<TUnion<[Schema, ReturnType<typeof Type.Null>]>> => Type.Optional(nullable(schema));
