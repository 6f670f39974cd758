// The server's text of a type, as DESCRIBE QUERY writes it, parsed into a tree.
import type { Column, ColumnType } from '../../../src/warehouse/index.ts';

/** A type as the connector reads it. */
export interface Shape {
  readonly type: ColumnType;
  /** Type as the server writes it: `decimal(18,2)`, `array<string>`. */
  readonly nativeType: string;
  /** Item of a list. */
  readonly item?: Shape;
  /** Fields of a struct, in order. */
  readonly fields?: readonly Field[];
  /** Key and value of a map. */
  readonly entry?: { readonly key: Shape; readonly value: Shape };
}

interface Field {
  readonly name: string;
  readonly shape: Shape;
}

const LEAVES: Readonly<Record<string, ColumnType>> = {
  boolean: 'boolean',
  tinyint: 'integer',
  smallint: 'integer',
  int: 'integer',
  bigint: 'integer',
  decimal: 'decimal',
  float: 'double',
  double: 'double',
  string: 'text',
  varchar: 'text',
  char: 'text',
  interval: 'text',
  void: 'text',
  binary: 'binary',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp_tz',
  timestamp_ltz: 'timestamp_tz',
  timestamp_ntz: 'timestamp',
  variant: 'json',
};

/**
 * Parses the text of a type. A struct is read as one JSON text where the server has cut it off, or where names contain characters of
 * the notation itself.
 */
export function parseShape(nativeType: string): Shape {
  const text = nativeType.trim();
  const inner = between(text);
  if (inner === undefined) return { type: LEAVES[wordOf(text)] ?? 'unknown', nativeType: text };
  const parts = split(inner);
  const kind = wordOf(text);
  if (kind === 'array') return { type: 'list', nativeType: text, item: parseShape(inner) };
  if (kind === 'map' && parts.length === 2) {
    const [key = '', value = ''] = parts;
    return { type: 'map', nativeType: text, entry: { key: parseShape(key), value: parseShape(value) } };
  }
  const fields = kind === 'struct' ? fieldsOf(parts) : undefined;
  return fields === undefined ? { type: 'json', nativeType: text } : { type: 'struct', nativeType: text, fields };
}

/** Parses the type of a column. A spatial one is read as text by `expressionOf`; inside other types it has no text. */
export function parseColumnShape(nativeType: string): Shape {
  const shape = parseShape(nativeType);
  return isSpatial(shape) ? { ...shape, type: 'text' } : shape;
}

export function isSpatial({ nativeType }: Shape): boolean {
  return /^(?:geometry|geography)\b/i.test(nativeType);
}

/** Tells whether the server has cut off the type: it writes 25 fields of a struct, and how many more there are. */
export function isCutOff(nativeType: string): boolean {
  return /\.\.\. \d+ more fields/.test(nativeType);
}

export function columnOf(name: string, { type, nativeType, item }: Shape): Column {
  return { name, type, nativeType, ...(item === undefined ? {} : { item: columnOf(name, item) }) };
}

function wordOf(text: string): string {
  return /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
}

/** Returns the inner type, `array<int>` → `int`, or undefined for a type without one. */
function between(text: string): string | undefined {
  return /^(?:array|map|struct)<(.*)>$/is.exec(text)?.[1];
}

/** Splits at the commas outside of all brackets. */
function split(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if ('<('.includes(sign)) depth += 1;
    if (')>'.includes(sign)) depth -= 1;
    if (sign !== ',' || depth > 0) continue;
    parts.push(text.slice(start, at));
    start = at + 1;
  }
  return [...parts, text.slice(start)];
}

function fieldsOf(parts: readonly string[]): readonly Field[] | undefined {
  const fields = parts.map((part) => {
    const [name = '', ...rest] = part.split(':');
    const shape = parseShape(rest.join(':'));
    return { name, shape };
  });
  const isWhole = fields.every(({ name, shape }) => name !== '' && !/[<>(]/.test(name) && shape.type !== 'unknown');
  return isWhole ? fields : undefined;
}
