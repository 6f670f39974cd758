// Results that do not come as Arrow: columns of the protocol, with 64-bit integers as bytes and times as text.
import type { Cell } from '../../../src/warehouse/index.ts';
import type { WireColumn } from '../sdk.ts';
import { type CellReader, cellOfText } from './arrow-columns.ts';
import type { Shape } from './shapes.ts';
import { shortestFloat } from './texts.ts';

interface Values {
  readonly values: readonly unknown[];
  /** Bit mask of the NULLs, from the lowest bit. */
  readonly nulls: Uint8Array;
}

export function valuesOf(column: WireColumn | undefined): Values {
  const found = Object.values(column ?? {}).find((part) => part != null);
  return (found as Values | undefined) ?? { values: [], nulls: new Uint8Array() };
}

export function wireReader(column: WireColumn, shape: Shape): CellReader {
  const { values, nulls } = valuesOf(column);
  const read = valueReader(column, shape);
  return (row) => ((((nulls[row >> 3] ?? 0) >> (row & 7)) & 1) === 1 ? null : read(values[row]));
}

function valueReader(column: WireColumn, shape: Shape): (value: unknown) => Cell {
  if (column.i64Val != null) return int64;
  if (column.binaryVal != null) return (value) => new Uint8Array(value as Buffer);
  if (shape.nativeType === 'float' && column.doubleVal != null)
    return (value) => shortestFloat(Math.fround(Number(value)));
  const read = cellOfText(shape);
  if (column.stringVal == null || read === undefined) return (value) => value as Cell;
  return (value) => read(String(value));
}

/** Reads a 64-bit integer from its bytes: the protocol's own class turns a number beyond 2^53 into infinity. */
function int64(value: unknown): Cell {
  const { buffer, offset } = value as { readonly buffer: Buffer; readonly offset: number };
  const exact = buffer.readBigInt64BE(offset);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}
