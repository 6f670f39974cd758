import { cutter } from '../../_shared/cutter.ts';
import type { Bindings } from '../sdk.ts';
import type { Vector, VectorReader } from './vectors.ts';

/**
 * Reads VARCHAR: 16 bytes a string, the length, then up to 12 bytes in place or a pointer.
 * One native call for each string would cost 0.5 µs. So the part in place is decoded once for the whole vector. Strings that
 * are adjacent in DuckDB's heap (nearly all are) are fetched in one piece; only memory of these very strings is touched.
 */
export function texts(duckdb: Bindings): VectorReader {
  return (vector, count) => {
    const bytes = duckdb.vector_get_data(vector, count * 16);
    const u32 = new Uint32Array(bytes.buffer, bytes.byteOffset, count * 4);
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset, count * 16);
    const inPlace = raw.toString('latin1');
    const heap = heapOf({ duckdb, bytes, u32, mask: duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8) });
    return (index) => {
      const at = 4 * index;
      const length = u32[at] ?? 0;
      if (length > 12) return heap(index, length);
      const start = 16 * index + 4;
      // the bytes after a short string are zero
      const isPlain = (((u32[at + 1] ?? 0) | (u32[at + 2] ?? 0) | (u32[at + 3] ?? 0)) & 0x80808080) === 0;
      return isPlain ? inPlace.substring(start, start + length) : raw.toString('utf8', start, start + length);
    };
  };
}

interface StringVector {
  readonly duckdb: Bindings;
  readonly bytes: Uint8Array;
  readonly u32: Uint32Array;
  /** Bit mask of the rows that are not NULL; a NULL row holds arbitrary bytes. */
  readonly mask: Uint8Array | null;
}

/** Returns a reader of strings behind pointers. Rows are read in order, so a run is fetched once and then cut. */
function heapOf({ duckdb, bytes, u32, mask }: StringVector): (index: number, length: number) => string {
  const rows = u32.length >> 2;
  const address = (index: number) => (u32[4 * index + 2] ?? 0) + (u32[4 * index + 3] ?? 0) * 4_294_967_296;
  const isNull = (row: number) => mask !== null && (((mask[row >> 3] ?? 0) >> (row & 7)) & 1) === 0;
  let run = { start: 0, end: 0, cut: (_from: number, _to: number) => '' };
  return (index, length) => {
    const from = address(index);
    if (from < run.start || from + length > run.end) run = fetchRun(index);
    return run.cut(from - run.start, from - run.start + length);
  };

  function fetchRun(first: number) {
    const start = address(first);
    let end = start + (u32[4 * first] ?? 0);
    for (let row = first + 1; row < rows && end - start < MOST_RUN_BYTES; row++) {
      const length = u32[4 * row] ?? 0;
      if (length <= 12 || isNull(row)) continue;
      if (address(row) !== end) break;
      end += length;
    }
    const memory = duckdb.get_data_from_pointer(
      bytes.buffer as ArrayBuffer,
      bytes.byteOffset + 16 * first + 8,
      end - start,
    );
    return { start, end, cut: cutter(Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength)) };
  }
}

/** Longest run that is fetched as one; a longer string is fetched alone. V8's longest string is 512 MiB. */
const MOST_RUN_BYTES = 1 << 20;

/** Reads BLOB, BIT and other types with the layout of a string, as a copy of their bytes. */
export function blobs(duckdb: Bindings): (vector: Vector, count: number) => (index: number) => Uint8Array {
  return (vector, count) => {
    const bytes = duckdb.vector_get_data(vector, count * 16);
    const lengths = new Uint32Array(bytes.buffer, bytes.byteOffset, count * 4);
    return (index) => {
      const length = lengths[4 * index] ?? 0;
      const start = bytes.byteOffset + 16 * index;
      if (length <= 12) return new Uint8Array(bytes.buffer.slice(start + 4, start + 4 + length));
      return new Uint8Array(duckdb.get_data_from_pointer(bytes.buffer as ArrayBuffer, start + 8, length));
    };
  };
}

/** Reads BIT as text of 0 and 1: the first byte is the number of leading bits that are padding. */
export function bits(duckdb: Bindings): VectorReader {
  const open = blobs(duckdb);
  return (vector, count) => {
    const bytesAt = open(vector, count);
    return (index) => {
      const [padding = 0, ...bytes] = bytesAt(index);
      return bytes
        .map((byte) => byte.toString(2).padStart(8, '0'))
        .join('')
        .slice(padding);
    };
  };
}
