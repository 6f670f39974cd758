// Wire shapes of warehouse sync v2, as TypeBox: the single source of validation, types and OpenAPI. Objects are closed,
// so an unknown field is refused with its path; names stay as the wire has them and are translated in `wire/`.
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** Returns an object schema that refuses unknown fields. `title` names it in the OpenAPI document, which shows the example. */
export function closed<Properties extends TProperties>(
  properties: Properties,
  title?: string,
  example?: Readonly<Record<string, unknown>>,
): TObject<Properties> {
  const shown = { ...(title !== undefined && { title }), ...(example !== undefined && { examples: [example] }) };
  return Type.Object(properties, { additionalProperties: false, ...shown });
}

/** Returns an optional field that may also be sent as null, which means the same as leaving it out. */
export function optionalOrNull<Schema extends TSchema & { readonly type: string }>(schema: Schema) {
  return Type.Optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }));
}

/** Returns a field of an answer that is always present and may be null. */
export function nullable<Schema extends TSchema & { readonly type: string }>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });
}

// The specification does not bound a slug. 128 characters keep it readable in paths and logs.
export const Slug = Type.String({
  pattern: '^[A-Za-z0-9_-]+$',
  maxLength: 128,
  meaning: 'letters, digits, "_" and "-"',
  description: 'Letters, digits, _ and -, at most 128.',
  examples: ['buyers'],
});

export const Name = Type.String({ minLength: 1, maxLength: 256, pattern: '\\S', meaning: 'more than blanks' });

export const Instant = Type.String({
  format: 'date-time',
  description: 'ISO 8601 with a zone, such as 2024-01-31T00:00:00Z.',
});

export const Duration = Type.String({
  pattern: '^[0-9]{1,9}[smhdwy]$',
  meaning: 'a whole number and one unit of s, m, h, d, w, y, such as 15m',
  description: 'A whole number and one unit of s, m, h, d, w, y, such as 15m; y is 365 days.',
  examples: ['15m'],
});

/** Lists of `errors` and `warnings`. */
export const Notices = Type.Array(closed({ message: Type.String() }, 'Notice'));

/** State of a connection and of a data model. */
export const ResourceState = Type.Enum(['new', 'active', 'inactive']);

export const auditProperties = {
  created_on: Instant,
  created_by: Type.String(),
  last_modified_on: nullable(Instant),
  last_modified_by: nullable(Type.String()),
};

/**
 * Read-only fields of every resource. They are ignored in bodies, so that the answer of a GET can be sent back with PUT
 * (D-006).
 */
export const READ_ONLY_FIELDS = [
  'status',
  'errors',
  'created_on',
  'created_by',
  'last_modified_on',
  'last_modified_by',
] as const;
