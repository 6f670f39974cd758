import { isIP } from 'node:net';
import { isUuid, type Leaf } from '../../events/index.ts';
import { fitsInt64, type Json, type Micros, msOfMicros, nearestInstant, stringifyJson } from '../../kernel/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { AttributeLimits } from '../people/column-roles.ts';
import {
  type CellFault,
  type CellWriter,
  compileCellWriter,
  JSON_NUMBER,
  NESTED,
  NO_TIME,
  NOT_FINITE,
  writeText,
} from './cell-text.ts';
import { identityOf } from './identity-cell.ts';
import { parsedJson, valueInside } from './json-cell.ts';

export interface LeafPlan {
  readonly column: Column;
  readonly leaf: Leaf;
  readonly limits: AttributeLimits;
  /** Reads a time of the column as an instant; present where the leaf counts milliseconds since 1970. */
  readonly instantOf?: ((cell: Cell) => Micros | undefined) | undefined;
}

const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,17})$/;
const WHOLE_NUMBER = /^-?\d+(?:\.0*)?$/;

const NOT_INTEGER: CellFault = {
  rule: 'value_type',
  reason: 'The field accepts whole numbers of 64 bits. Round or cast the column in the model.',
};
const NOT_NUMBER: CellFault = {
  rule: 'value_type',
  reason: 'The field accepts numbers. Cast the column to a number in the model.',
};
const NOT_BOOLEAN: CellFault = {
  rule: 'value_type',
  reason: 'The field accepts true or false. Cast the column to a boolean in the model.',
};
const NOT_UUID: CellFault = {
  rule: 'value_type',
  reason: 'The field accepts a UUID of 8-4-4-4-12 hexadecimal digits. Correct the value in the model.',
};
const NOT_IP: CellFault = {
  rule: 'value_type',
  reason: 'The field accepts an IPv4 or IPv6 address. Correct the value in the model.',
};
const NULL_ITEM: CellFault = {
  rule: 'value_missing',
  reason: 'The list contains a NULL, which the field does not accept. Filter it in the model.',
};

/**
 * Compiles the writer that turns cells of a column into a field of the batch (docs/spec/events.md#type-conventions).
 * Numbers keep all their digits. Times are ISO 8601, or milliseconds since 1970 where the field counts those. Text is never
 * cut. A list is written only where the field takes lists.
 */
export function compileLeafWriter(plan: LeafPlan): CellWriter {
  const { leaf, column } = plan;
  const single = compileSingle(plan);
  if (leaf.list === 'never') return single;
  const item = column.type === 'list' ? compileSingle({ ...plan, column: itemOf(column) }) : single;
  return (cell) => {
    const items = itemsOf(column, cell);
    if (items !== undefined) return writeItems(items, { item, leaf });
    const text = single(cell);
    return leaf.list === 'always' && typeof text === 'string' ? `[${text}]` : text;
  };
}

/** Returns the column of a list's items. */
export function itemOf(column: Column): Column {
  return column.item === undefined
    ? { name: column.name, type: 'unknown', nativeType: 'unknown' }
    : { ...column.item, name: column.name };
}

/** Returns the items of a list cell, each as a cell of the column `itemOf` returns. Returns undefined for a single value. */
export function itemsOf(column: Column, cell: Cell): readonly Cell[] | undefined {
  if (Array.isArray(cell)) return cell as readonly Cell[];
  if (column.type !== 'json' || typeof cell !== 'string' || !cell.trimStart().startsWith('[')) return undefined;
  const parsed = parsedJson(cell);
  return Array.isArray(parsed) ? parsed.map((item: Json) => (item === null ? null : stringifyJson(item))) : undefined;
}

function writeItems(
  items: readonly Cell[],
  { item, leaf }: { readonly item: CellWriter; readonly leaf: Leaf },
): string | CellFault {
  const texts: string[] = [];
  for (const cell of items) {
    const text = cell === null ? undefined : item(cell);
    if (typeof text === 'object') return text;
    if (text === undefined && !leaf.nullable) return NULL_ITEM;
    texts.push(text ?? 'null');
  }
  return `[${texts.join(',')}]`;
}

function compileSingle(plan: LeafPlan): CellWriter {
  const { leaf } = plan;
  const write = compileKind(plan);
  if (leaf.allowed === undefined) return write;
  const allowed = new Set(leaf.allowed.map((value) => JSON.stringify(value)));
  const notAllowed: CellFault = {
    rule: 'value_not_allowed',
    reason: `The field accepts only ${leaf.allowed.join(', ')}. Convert the value in the model.`,
  };
  return (cell) => {
    const text = write(cell);
    return typeof text !== 'string' || allowed.has(text) ? text : notAllowed;
  };
}

function compileKind(plan: LeafPlan): CellWriter {
  const { leaf, column } = plan;
  if (leaf.identity !== undefined) return loose(column, identityWriter(leaf, leaf.identity));
  switch (leaf.kind) {
    case 'String':
      return compileText(plan);
    case 'string':
      return quoted(compileText(plan));
    case 'Integer':
      return plan.instantOf === undefined ? loose(column, writeInteger) : epochWriter(plan.instantOf);
    case 'Number':
      return loose(column, writeNumber);
    case 'Boolean':
      return loose(column, writeBoolean);
    case 'Uuid':
      return loose(column, (cell) => (typeof cell === 'string' && isUuid(cell) ? `"${cell}"` : NOT_UUID));
    case 'Ip':
      return loose(column, (cell) => (typeof cell === 'string' && isIP(cell) !== 0 ? `"${cell}"` : NOT_IP));
  }
}

/** Writes identities, which are text in a batch so that no reader rounds them. */
function identityWriter({ kind }: Leaf, type: NonNullable<Leaf['identity']>): CellWriter {
  return (cell) => {
    const identity = identityOf(type, cell);
    if ('rule' in identity) return identity;
    return kind === 'Uuid' && !isUuid(identity.value) ? NOT_UUID : writeText(identity.value, Infinity);
  };
}

/** Compiles the writer of a String, which takes any single value. */
function compileText({ column, leaf, limits }: LeafPlan): CellWriter {
  const { nameChars, valueChars } = limits;
  const chars = leaf.length === undefined ? Infinity : leaf.length === 'name' ? nameChars : valueChars;
  if (column.type === 'list') return () => NESTED;
  const write = compileCellWriter(column, chars);
  if (column.type !== 'json' && column.type !== 'unknown') return write;
  return (cell) => (itemsOf(column, cell) === undefined ? write(cell) : NESTED);
}

/** Quotes a value that is no text, as a `string` requires. */
function quoted(write: CellWriter): CellWriter {
  return (cell) => {
    const text = write(cell);
    return typeof text !== 'string' || text.startsWith('"') ? text : `"${text}"`;
  };
}

/** Passes the value inside the text of a JSON column to `write`; for other columns, the cell itself. */
function loose(column: Column, write: CellWriter): CellWriter {
  if (column.type !== 'json') return write;
  return (cell) => {
    const value = valueInside(cell);
    if (value === null) return undefined;
    return typeof value === 'object' ? NESTED : write(value);
  };
}

function writeInteger(cell: Cell): string | CellFault {
  if (typeof cell === 'number') {
    return Number.isSafeInteger(cell) ? String(cell) : Number.isInteger(cell) ? integerText(BigInt(cell)) : NOT_INTEGER;
  }
  if (typeof cell === 'bigint') return integerText(cell);
  if (typeof cell !== 'string') return NOT_INTEGER;
  if (PLAIN_INTEGER.test(cell)) return cell;
  return WHOLE_NUMBER.test(cell) ? integerText(BigInt(cell.split('.', 1)[0] ?? '')) : NOT_INTEGER;
}

function integerText(value: bigint): string | CellFault {
  return fitsInt64(value) ? String(value) : NOT_INTEGER;
}

function writeNumber(cell: Cell): string | CellFault {
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : NOT_FINITE;
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'string' && JSON_NUMBER.test(cell) ? cell : NOT_NUMBER;
}

function writeBoolean(cell: Cell): string | CellFault {
  if (cell === true || cell === 'true') return 'true';
  return cell === false || cell === 'false' ? 'false' : NOT_BOOLEAN;
}

/** Writes milliseconds since 1970, rounded down. */
function epochWriter(instantOf: (cell: Cell) => Micros | undefined): CellWriter {
  return (cell) => {
    const instant = instantOf(cell);
    return instant === undefined ? NO_TIME : String(msOfMicros(nearestInstant(instant)));
  };
}
