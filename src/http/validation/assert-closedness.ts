import { AppError, type JsonSchema } from '../../kernel/index.ts';

/**
 * Throws at the start for an object schema that does not say whether it is closed, since an open one would let unknown fields
 * in silently.
 */
export function assertStatesClosedness(schema: JsonSchema, where: string): void {
  if (schema.properties !== undefined && schema.additionalProperties === undefined) {
    throw new AppError('INTERNAL', `The schema of ${where} does not say additionalProperties; false closes it.`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    assertStatesClosedness(property, `${where}.${name}`);
  }
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])];
  for (const part of parts) if (typeof part === 'object') assertStatesClosedness(part, `${where}[]`);
}
