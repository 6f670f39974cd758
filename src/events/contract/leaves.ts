// The single values of a batch (docs/spec/events.md#type-conventions). Each schema carries its `Leaf`: validation,
// mapping of pipelines and JSON Schema all come from one line.
import { type TOptional, type TSchema, type TUnsafe, Type } from 'typebox';
import { type IdentityType, identityTypeOfColumn } from '../../identity/index.ts';
import type { RawNumber } from '../../kernel/index.ts';

/** Kinds of values, named as in docs/spec/events.md: `String` accepts any single value, `string` only text. */
export type LeafKind = 'String' | 'string' | 'Integer' | 'Number' | 'Boolean' | 'Uuid' | 'Ip';

export interface Leaf {
  readonly kind: LeafKind;
  readonly nullable: boolean;
  /** The only texts that pass. */
  readonly allowed?: readonly string[];
  /** Use of lists: `never` a list, `either` a list or a single value, `always` a list. */
  readonly list: 'never' | 'either' | 'always';
  /** The bound of a text: that of a name (of an attribute or event) or that of an attribute's value (D-031). */
  readonly length?: 'name' | 'value';
  /** The value is an identity or device id of this type: never empty, at most 1,024 bytes. */
  readonly identity?: IdentityType;
  /** Set for an Integer that may also come as its decimal digits in text, such as an MPID (D-003). */
  readonly digits?: true;
}

/** A number as the lossless parser gives it: `bigint` beyond 2^53, `RawNumber` for digits that a double would lose. */
export type WireNumber = number | bigint | RawNumber;
export type WireString = string | boolean | WireNumber | null;

/** Key of a schema's `Leaf`. It is no keyword of JSON Schema, so documents made from the schema do not show it. */
export const LEAF = Symbol('leaf');

interface Written {
  readonly [keyword: string]: unknown;
}

function leafOf<Value>(leaf: Omit<Leaf, 'list'>, written: Written): TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...written, [LEAF]: { list: 'never', ...leaf } });
}

const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const UUID = new RegExp(UUID_PATTERN);
const ANY_SINGLE = { type: ['string', 'null', 'boolean', 'number'] };

export const AnyString = leafOf<WireString>({ kind: 'String', nullable: true }, ANY_SINGLE);
export const Text = leafOf<string>({ kind: 'string', nullable: false }, { type: 'string' });
export const Integer = leafOf<number | bigint | null>(
  { kind: 'Integer', nullable: true },
  { type: ['integer', 'null'], format: 'int64' },
);
export const Numeric = leafOf<WireNumber | null>({ kind: 'Number', nullable: true }, { type: ['number', 'null'] });
export const Bool = leafOf<boolean | null>({ kind: 'Boolean', nullable: true }, { type: ['boolean', 'null'] });
export const Uuid = leafOf<string | null>(
  { kind: 'Uuid', nullable: true },
  { type: ['string', 'null'], pattern: UUID_PATTERN },
);
export const IpAddress = leafOf<string | null>(
  { kind: 'Ip', nullable: true },
  { type: ['string', 'null'], description: 'An IPv4 or IPv6 address.' },
);
/** Leaf of an MPID: a number, or its decimal digits as text (D-003). */
export const Mpid = leafOf<number | bigint | string | null>(
  { kind: 'Integer', nullable: true, digits: true },
  { type: ['integer', 'string', 'null'], format: 'int64', pattern: '^-?[0-9]{1,19}$' },
);

/** The name of an event or of an attribute: text of bounded length. */
export const Name = leafOf<string>({ kind: 'string', nullable: false, length: 'name' }, { type: 'string' });
/** Leaf of a name that the specification types as `String`. */
export const AnyName = leafOf<WireString>({ kind: 'String', nullable: true, length: 'name' }, ANY_SINGLE);
export const AttributeValue = leafOf<WireString>({ kind: 'String', nullable: true, length: 'value' }, ANY_SINGLE);
/** Leaf of a value in a product's custom_attributes, which are `string`. */
export const AttributeText = leafOf<string>({ kind: 'string', nullable: false, length: 'value' }, { type: 'string' });
/** Leaf of a user attribute: a String or a list of Strings. */
export const AttributeValues = Type.Unsafe<WireString | readonly WireString[]>({
  anyOf: [ANY_SINGLE, { type: 'array', items: ANY_SINGLE }],
  [LEAF]: { kind: 'String', nullable: true, list: 'either', length: 'value' } satisfies Leaf,
});

/** Makes the leaf of a text that must be one of the listed values. */
export function oneOf<const Values extends readonly string[]>(...allowed: Values): TUnsafe<Values[number]> {
  return leafOf<Values[number]>({ kind: 'string', nullable: false, allowed }, { type: 'string', enum: allowed });
}

/** Makes the leaf of a String whose usual values are documented, not required (D-028). */
export function usually(...examples: readonly string[]): TUnsafe<WireString> {
  return leafOf<WireString>({ kind: 'String', nullable: true }, { ...ANY_SINGLE, examples });
}

/** Makes several optional fields of one type. */
export function fields<const Name extends string, Schema extends TSchema>(
  schema: Schema,
  ...names: readonly Name[]
): Record<Name, TOptional<Schema>> {
  return Object.fromEntries(names.map((name) => [name, Type.Optional(schema)])) as Record<Name, TOptional<Schema>>;
}

/** Makes optional fields that hold identities or device ids, each named after its type. */
export function identities<const Name extends string, Schema extends TSchema>(
  schema: Schema,
  ...names: readonly Name[]
): Record<Name, TOptional<Schema>> {
  const marked = names.map((name) => {
    const { [LEAF]: leaf } = schema as unknown as { readonly [LEAF]: Leaf };
    return [name, Type.Optional({ ...schema, [LEAF]: { ...leaf, identity: identityTypeOfColumn(name) } })];
  });
  return Object.fromEntries(marked) as Record<Name, TOptional<Schema>>;
}

export const isUuid = (text: string): boolean => UUID.test(text);
