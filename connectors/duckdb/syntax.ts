/** A node of DuckDB's syntax tree. */
export type Fields = Readonly<Record<string, unknown>>;

export function isSyntax(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the fields of a node, or none for another value. */
export function fieldsOf(value: unknown): Fields {
  return isSyntax(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
