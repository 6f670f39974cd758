// The six forms as which this room reads its TypeBox shapes, for destinations and required fields.
import type { TSchema } from 'typebox';
import type { JsonSchema } from '../../kernel/index.ts';
import { LEAF, type Leaf } from './leaves.ts';
import { MAP_LIMITS, type MapLimits } from './objects.ts';

/** A TypeBox schema, which is JSON Schema, and what this room put into it. */
export interface Shape extends JsonSchema {
  readonly [LEAF]?: Leaf;
  readonly [MAP_LIMITS]?: MapLimits;
}

export const shapeOf = (schema: TSchema): Shape => schema;

export interface ObjectForm {
  readonly form: 'object';
  readonly nullable: boolean;
  readonly fields: ReadonlyMap<string, Shape>;
  readonly required: readonly string[];
  /** Fields of which one is required; empty: no such rule. */
  readonly requiredOneOf: readonly string[];
  readonly closed: boolean;
}

export type Form =
  | ObjectForm
  | { readonly form: 'leaf'; readonly leaf: Leaf }
  | { readonly form: 'list'; readonly nullable: boolean; readonly items: Shape }
  | { readonly form: 'map'; readonly nullable: boolean; readonly values: Shape; readonly limits: MapLimits }
  /** Objects told apart by the value of one field. */
  | { readonly form: 'kinds'; readonly tag: string; readonly kinds: ReadonlyMap<string, Shape> }
  | { readonly form: 'anything' };

export function formOf(shape: Shape, nullable = false): Form {
  const { anyOf = [], discriminator, items, properties, additionalProperties: values } = shape;
  const { [LEAF]: leaf, [MAP_LIMITS]: limits = {} } = shape;
  if (leaf !== undefined) return { form: 'leaf', leaf };
  if (discriminator !== undefined) return { form: 'kinds', tag: discriminator.propertyName, kinds: kindsOf(shape) };
  if (typeof shape.const === 'string') return { form: 'leaf', leaf: literal(shape.const) };
  if (items !== undefined) return { form: 'list', nullable, items };
  if (properties !== undefined) return objectForm(shape, nullable);
  if (typeof values === 'object') return { form: 'map', nullable, values, limits };
  const [main] = anyOf.filter(({ type }) => type !== 'null');
  return main === undefined ? { form: 'anything' } : formOf(main, true);
}

function objectForm(shape: Shape, nullable: boolean): ObjectForm {
  const { properties = {}, required = [], anyOf = [], additionalProperties } = shape;
  return {
    form: 'object',
    nullable,
    fields: new Map(Object.entries(properties)),
    required,
    requiredOneOf: anyOf.flatMap((branch) => branch.required ?? []),
    closed: additionalProperties === false,
  };
}

/** Returns the kinds of a union by the value of the field that tells them apart. */
function kindsOf({ anyOf = [], discriminator }: Shape): ReadonlyMap<string, Shape> {
  const tag = discriminator?.propertyName ?? '';
  return new Map(anyOf.map((kind) => [String(kind.properties?.[tag]?.const), kind]));
}

const literal = (value: string): Leaf => ({ kind: 'string', nullable: false, list: 'never', allowed: [value] });
