import { isRawNumber, type Json, parseJson, stringifyJson } from '../../kernel/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { RowRule } from './refusal.ts';

/** The rule that a cell breaks, with the reason for users. */
export interface CellFault {
  readonly rule: RowRule;
  readonly reason: string;
}

/** Writes a cell that is not NULL as JSON text. Returns undefined for a JSON null inside a JSON column. */
export type CellWriter = (cell: Cell) => string | undefined | CellFault;

export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
// Matches quotes, backslashes, control characters and surrogates. All other characters stand in JSON unchanged.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;
const SHORTEST_TIMESTAMP = 26;

export const NOT_FINITE: CellFault = {
  rule: 'value_not_finite',
  reason: 'NaN, infinities and infinite times cannot be kept. Filter them, or turn them into NULL in the model.',
};
export const NO_TIME: CellFault = {
  rule: 'time_out_of_range',
  reason:
    'The value is not a time in the years 1 to 9999. Compare its unit with the declared type of the iterator; filter such rows, or turn the value into NULL in the model.',
};
export const NESTED: CellFault = {
  rule: 'value_nested',
  reason: 'Structs, maps and objects cannot be values. Select their fields as separate columns.',
};
export const WRONG_TYPE: CellFault = {
  rule: 'value_type',
  reason: 'The value does not have the type of its column. Cast the column to text in the model.',
};
const BAD_TEXT: CellFault = {
  rule: 'value_text',
  reason: 'The text contains U+0000 or half of a surrogate pair, which cannot be stored. Remove it in the model.',
};

/**
 * Compiles the writer that turns cells of a column into attributes (D-101): DECIMAL as exact numbers, dates and times in ISO
 * 8601 with microseconds, binary as base64, arrays as lists. Texts over `valueChars` characters are refused, never cut.
 */
export function compileCellWriter(column: Column, valueChars: number): CellWriter {
  const text = (cell: Cell) => (typeof cell === 'string' ? writeText(cell, valueChars) : WRONG_TYPE);
  switch (column.type) {
    case 'boolean':
      return (cell) => (cell === true ? 'true' : cell === false ? 'false' : WRONG_TYPE);
    case 'integer':
      return (cell) => (typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : WRONG_TYPE);
    case 'decimal':
      return writeDecimal;
    case 'double':
      return (cell) => (typeof cell !== 'number' ? WRONG_TYPE : Number.isFinite(cell) ? String(cell) : NOT_FINITE);
    case 'date':
      return (cell) => writeTime(cell, 'YYYY-MM-DD'.length);
    case 'timestamp':
    case 'timestamp_tz':
      return (cell) => writeTime(cell, SHORTEST_TIMESTAMP);
    case 'binary':
      return (cell) => writeBinary(cell, valueChars);
    case 'json':
      return (cell) => (typeof cell === 'string' ? writeJson(cell, valueChars) : WRONG_TYPE);
    case 'list':
      return compileListWriter(column, valueChars);
    case 'struct':
    case 'map':
      return () => NESTED;
    case 'unknown':
      return (cell) => writeLoose(cell, valueChars);
    case 'text':
    case 'time':
    case 'uuid':
      return text;
  }
}

function compileListWriter(column: Column, valueChars: number): CellWriter {
  const write: CellWriter =
    column.item === undefined ? (item) => writeLoose(item, valueChars) : compileCellWriter(column.item, valueChars);
  return (cell) => (Array.isArray(cell) ? writeList(cell as readonly Cell[], write) : WRONG_TYPE);
}

export function writeText(text: string, valueChars: number): string | CellFault {
  if (text.length > valueChars && countChars(text) > valueChars) return tooLong(countChars(text), valueChars);
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  if (text.includes('\u0000') || !text.isWellFormed()) return BAD_TEXT;
  return JSON.stringify(text);
}

/** Counts characters as users do: a surrogate pair is one. */
function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function tooLong(chars: number, limit: number): CellFault {
  return {
    rule: 'value_too_long',
    reason: `The value has ${chars} characters; at most ${limit} are allowed. Shorten it in the model.`,
  };
}

function writeDecimal(cell: Cell): string | CellFault {
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : NOT_FINITE;
  if (typeof cell === 'bigint') return String(cell);
  if (typeof cell !== 'string') return WRONG_TYPE;
  return JSON_NUMBER.test(cell) ? cell : NOT_FINITE;
}

function writeTime(cell: Cell, shortest: number): string | CellFault {
  if (typeof cell !== 'string') return WRONG_TYPE;
  return cell.length >= shortest ? `"${cell}"` : NOT_FINITE;
}

function writeBinary(cell: Cell, valueChars: number): string | CellFault {
  if (!(cell instanceof Uint8Array)) return WRONG_TYPE;
  const text = Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('base64');
  return text.length > valueChars ? tooLong(text.length, valueChars) : `"${text}"`;
}

/** Writes a cell of a JSON column: single values and lists of them with all their digits. An object is refused as nested. */
function writeJson(text: string, valueChars: number): string | undefined | CellFault {
  let parsed: Json;
  try {
    parsed = parseJson(text);
  } catch {
    return WRONG_TYPE;
  }
  return parsed === null ? undefined : writeJsonValue(parsed, valueChars);
}

function writeJsonValue(value: Json, valueChars: number): string | CellFault {
  if (typeof value === 'string') return writeText(value, valueChars);
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return stringifyJson(value);
  if (!Array.isArray(value)) return NESTED;
  return writeList(value as readonly Json[], (item) => writeJsonValue(item, valueChars));
}

function writeList<Item>(items: readonly Item[], write: (item: Item) => string | undefined | CellFault) {
  const texts: string[] = [];
  for (const item of items) {
    const text = item === null ? 'null' : write(item);
    if (typeof text === 'object') return text;
    texts.push(text ?? 'null');
  }
  return `[${texts.join(',')}]`;
}

/** Writes a cell by its own type, where the column has none. */
function writeLoose(cell: Cell, valueChars: number): string | CellFault {
  if (typeof cell === 'string') return writeText(cell, valueChars);
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : NOT_FINITE;
  if (typeof cell === 'bigint' || typeof cell === 'boolean') return String(cell);
  if (cell instanceof Uint8Array) return writeBinary(cell, valueChars);
  if (Array.isArray(cell)) return writeList(cell as readonly Cell[], (item) => writeLoose(item, valueChars));
  return NESTED;
}
