import { type TOptional, type TProperties, type TRecord, type TSchema, type TUnion, Type } from 'typebox';

/** Which bounds of rulings §2 a map of free keys has; `names` bounds each key. */
export interface MapLimits {
  readonly names?: true;
  readonly fields?: 'attributesPerEvent' | 'userAttributesPerBatch';
}

/** Where a map keeps its `MapLimits`, as `LEAF` does for single values. */
export const MAP_LIMITS = Symbol('limits');

/** Refuses unknown fields (000, "closed"). */
export const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** Lets unknown fields through, unchecked. */
export const open = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: true });

/** An object of free keys. */
export const mapOf = <Values extends TSchema>(values: Values, limits: MapLimits = {}): TRecord<'^.*$', Values> =>
  Type.Record(Type.String(), values, { [MAP_LIMITS]: limits });

export const nullable = <Schema extends TSchema>(schema: Schema): TUnion<[Schema, ReturnType<typeof Type.Null>]> =>
  Type.Union([schema, Type.Null()]);

/** A field that may be absent or null: every optional field that holds an object or a list (rulings §2, Leniency). */
export const maybe = <Schema extends TSchema>(
  schema: Schema,
): TOptional<TUnion<[Schema, ReturnType<typeof Type.Null>]>> => Type.Optional(nullable(schema));
