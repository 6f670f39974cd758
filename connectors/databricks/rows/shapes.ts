// The server's own text of a type, as DESCRIBE QUERY writes it, as a tree.
import type { Column, ColumnType } from '../../../src/warehouse/index.ts';

/** A type as the connector reads it. */
export interface Shape {
  readonly type: ColumnType;
  /** As the server writes it: `decimal(18,2)`, `array<string>`. */
  readonly nativeType: string;
  /** Of a list. */
  readonly item?: Shape;
  /** Of a struct, in order. */
  readonly fields?: readonly Field[];
  /** Of a map. */
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
 * A struct that the server does not write in full (from 26 fields on it cuts them off), or whose names hold signs of the
 * notation itself, is read as one JSON text.
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

export function columnOf(name: string, { type, nativeType, item }: Shape): Column {
  return { name, type, nativeType, ...(item === undefined ? {} : { item: columnOf(name, item) }) };
}

function wordOf(text: string): string {
  return /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
}

/** `array<int>` → `int`; undefined for a type that holds no other. */
function between(text: string): string | undefined {
  return /^(?:array|map|struct)<(.*)>$/is.exec(text)?.[1];
}

/** At the commas that lie in no brackets. */
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
