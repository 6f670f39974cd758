// One column of a piece as cells, from a copy of DuckDB's memory (`child/send-vectors.ts`): the driver's own values cost an
// object for each cell. Layouts are those of DuckDB's C API (duckdb.h).
import type { Cell } from '../../../src/warehouse/index.ts';
import type { Vector } from './open-vectors.ts';

/** The cell at an index of an opened vector. */
export type CellReader = (index: number) => Cell;
/** A function that opens a vector of one type; compiled once for each column, called once for each piece. */
export type VectorReader = (vector: Vector) => CellReader;

/** Wraps a reader with the NULLs, a bit mask beside the data; a vector without one has no NULLs. */
export function nullable(open: VectorReader): VectorReader {
  return (vector) => {
    const read = open(vector);
    const mask = vector.valid;
    if (mask === undefined) return read;
    return (index) => (((mask[index >> 3] ?? 0) >> (index & 7)) & 1 ? read(index) : null);
  };
}

/** Bytes of a vector's data as typed arrays over the same memory, which is aligned. */
interface Words {
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
}

export function words({ data }: Vector): Words {
  const { buffer, byteOffset, length: bytes } = data;
  return {
    i32: new Int32Array(buffer, byteOffset, bytes >> 2),
    u32: new Uint32Array(buffer, byteOffset, bytes >> 2),
    i64: new BigInt64Array(buffer, byteOffset, bytes >> 3),
    u64: new BigUint64Array(buffer, byteOffset, bytes >> 3),
  };
}

const TWO_32 = 4_294_967_296;

type NumberArray = new (
  buffer: ArrayBufferLike,
  byteOffset: number,
  length: number,
) => { readonly [index: number]: number; readonly BYTES_PER_ELEMENT: number };

/** Reads integers of up to 32 bits, and doubles. */
export function numbers(ArrayOf: NumberArray & { readonly BYTES_PER_ELEMENT: number }): VectorReader {
  return (vector) => {
    const { buffer, byteOffset } = vector.data;
    const items = new ArrayOf(buffer, byteOffset, vector.rows);
    return (index) => items[index] ?? null;
  };
}

/**
 * Reads FLOAT, which has 32 bits, as the shortest decimal that means the same FLOAT, as every product prints it (0.1, not
 * 0.10000000149).
 */
export function floats(): VectorReader {
  return (vector) => {
    const { buffer, byteOffset } = vector.data;
    const items = new Float32Array(buffer, byteOffset, vector.rows);
    return (index) => shortestDouble(items[index] ?? Number.NaN);
  };
}

function shortestDouble(single: number): number {
  if (!Number.isFinite(single)) return single;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return Number(single.toPrecision(9));
}

export function booleans(): VectorReader {
  return (vector) => {
    const items = vector.data;
    return (index) => items[index] !== 0;
  };
}

/** Reads 64 bits: a safe number is made from two words, so that no bigint is allocated; any other is a bigint. */
export function int64s(signed: boolean): VectorReader {
  return (vector) => {
    const { i32, u32, i64, u64 } = words(vector);
    const high = signed ? i32 : u32;
    const exact = signed ? i64 : u64;
    return (index) => {
      const value = (high[2 * index + 1] ?? 0) * TWO_32 + (u32[2 * index] ?? 0);
      return Number.isSafeInteger(value) ? value : (exact[index] ?? null);
    };
  };
}

/** Reads 128 bits, two words of 64. */
export function int128s(signed: boolean): VectorReader {
  return (vector) => {
    const read = wide(vector, signed);
    return (index) => safeInteger(read(index));
  };
}

export function wide(vector: Vector, signed: boolean): (index: number) => bigint {
  const { i64, u64 } = words(vector);
  return (index) => {
    const upper = (signed ? i64 : u64)[2 * index + 1] ?? 0n;
    return (upper << 64n) | (u64[2 * index] ?? 0n);
  };
}

export function safeInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Reads ENUM: the index of the value in 8, 16 or 32 bits, by the number of values. */
export function enums(values: readonly string[]): VectorReader {
  const open = numbers(values.length < 256 ? Uint8Array : values.length < 65_536 ? Uint16Array : Uint32Array);
  return (vector) => {
    const read = open(vector);
    return (index) => values[Number(read(index))] ?? null;
  };
}

/** Reads UUID: 128 bits with the topmost flipped, so that they sort as signed. */
export function uuids(): VectorReader {
  return (vector) => {
    const { u32 } = words(vector);
    const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0');
    return (index) => {
      const at = 4 * index;
      const [low, midLow, midHigh, high] = [u32[at] ?? 0, u32[at + 1] ?? 0, u32[at + 2] ?? 0, u32[at + 3] ?? 0];
      const middle = hex(midHigh);
      const end = hex(midLow);
      return `${hex(high ^ 0x80000000)}-${middle.slice(0, 4)}-${middle.slice(4)}-${end.slice(0, 4)}-${end.slice(4)}${hex(low)}`;
    };
  };
}
