// Arrays, structs and maps, which come as JSON. Each value in it is a text that the server wrote, so that no digit is lost.
import { AppError, type Json, parseJson, stringifyJson } from '../../../src/kernel/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import { isSpatial, type Shape } from './shapes.ts';
import { textReader } from './texts.ts';

const AS_JSON = `map('ignoreNullFields', 'false')`;

/** Returns the expression that reads a column exactly, or undefined where the column itself does. */
export function expressionOf(column: string, shape: Shape): string | undefined {
  const { nativeType, type } = shape;
  if (type === 'text' && isSpatial(shape)) return `st_asewkt(${column})`;
  if (type === 'list' || type === 'struct' || type === 'map') {
    return `to_json(CAST(${column} AS ${castType(shape)}), ${AS_JSON})`;
  }
  return type === 'json' ? `to_json(${column}${nativeType === 'variant' ? '' : `, ${AS_JSON}`})` : undefined;
}

/** Returns the same nesting with texts inside. A struct is cast by the order of its fields, so their names need no quotes. */
function castType(shape: Shape): string {
  const { nativeType, item, fields, entry } = shape;
  if (item !== undefined) return `ARRAY<${castType(item)}>`;
  if (entry !== undefined) return `MAP<STRING, ${castType(entry.value)}>`;
  if (fields !== undefined) return `STRUCT<${fields.map(({ shape: of }, at) => `f${at}: ${castType(of)}`).join(', ')}>`;
  return nativeType === 'binary' || nativeType === 'variant' ? nativeType.toUpperCase() : 'STRING';
}

const UNREADABLE_KEYS = new Set(['binary', 'list', 'struct', 'map', 'json', 'unknown']);

/** Throws MODEL_INVALID for a map whose keys have no exact text. */
export function requireReadable(name: string, shape: Shape): void {
  const { item, fields = [], entry } = shape;
  if (entry !== undefined && UNREADABLE_KEYS.has(entry.key.type)) {
    const message = `The column "${name}" is a ${shape.nativeType}, whose keys cannot be read exactly; select map_entries(${name}) instead.`;
    throw new AppError('MODEL_INVALID', message);
  }
  const inner = [item, entry?.value, ...fields.map(({ shape: of }) => of)];
  for (const of of inner) if (of !== undefined) requireReadable(name, of);
}

export function nestedReader(shape: Shape): (text: string) => Cell {
  if (shape.type === 'json') return (text) => text;
  const read = reader(shape);
  return (text) => read(parseJson(text));
}

type ReadJson = (value: Json) => Cell;

function reader(shape: Shape): ReadJson {
  const { item, fields, entry } = shape;
  if (item !== undefined) return listReader(reader(item));
  if (entry !== undefined) return mapReader(leafReader(entry.key), reader(entry.value));
  if (fields !== undefined)
    return structReader(fields.map((field) => ({ name: field.name, read: reader(field.shape) })));
  return leafReader(shape);
}

function listReader(read: ReadJson): ReadJson {
  return (value) => (Array.isArray(value) ? value.map((item: Json) => read(item)) : null);
}

function mapReader(readKey: ReadJson, readValue: ReadJson): ReadJson {
  return (value) => {
    if (value === null || typeof value !== 'object') return null;
    return { entries: Object.entries(value).map(([key, of]): [Cell, Cell] => [readKey(key), readValue(of as Json)]) };
  };
}

function structReader(fields: readonly { readonly name: string; readonly read: ReadJson }[]): ReadJson {
  return (value) => {
    if (value === null || typeof value !== 'object') return null;
    const inner = value as { readonly [field: string]: Json };
    return { entries: fields.map(({ name, read }, at): [Cell, Cell] => [name, read(inner[`f${at}`] ?? null)]) };
  };
}

function leafReader({ type, nativeType }: Shape): ReadJson {
  if (type === 'json') return (value) => (value === null ? null : stringifyJson(value));
  const read = nativeType === 'binary' ? bytes : (textReader(type) ?? ((text: string) => text));
  return (value) => (value === null ? null : read(String(value)));
}

function bytes(text: string): Cell {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
