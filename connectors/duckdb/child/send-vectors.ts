// Vectors as bytes for the daemon: DuckDB's own memory as it is, so that a row costs the child next to nothing and the daemon
// reads what it would read in a process of its own. Only addresses are replaced: strings behind a pointer are copied into a
// heap that travels along, and lists count from the first item that is sent. Layouts are those of DuckDB's C API (duckdb.h).
import type { DuckDBType } from '@duckdb/node-api';
import type bindings from '@duckdb/node-bindings';
import type { VectorShape } from '../wire/messages.ts';
import { type Parts, padded } from '../wire/parts.ts';
import type { Bindings, Sdk } from './sdk.ts';

type Vector = bindings.Vector;

/** Rows of one vector: from `from` until before `to`. */
export interface Span {
  readonly vector: Vector;
  readonly from: number;
  readonly to: number;
}

/** The vectors of one type, compiled once for each column. */
export interface VectorSender {
  /** Returns how many bytes `write` writes, padding included. */
  weigh(span: Span): number;
  /** Writes the parts of a vector, and returns their lengths. */
  write(span: Span, parts: Parts): VectorShape;
}

/** Bytes of a value by the name of its type. */
const FIXED_BYTES: Readonly<Record<string, number>> = {
  ...named(1, ['BOOLEAN', 'TINYINT', 'UTINYINT']),
  ...named(2, ['SMALLINT', 'USMALLINT']),
  ...named(4, ['INTEGER', 'UINTEGER', 'FLOAT', 'DATE']),
  ...named(8, ['BIGINT', 'UBIGINT', 'DOUBLE', 'TIME', 'TIME_NS', 'TIME_TZ', 'TIMESTAMP', 'TIMESTAMP_TZ']),
  ...named(8, ['TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS']),
  ...named(16, ['HUGEINT', 'UHUGEINT', 'INTERVAL', 'UUID']),
};
const STRINGS = new Set(['VARCHAR', 'BLOB', 'GEOMETRY', 'BIT']);
/** Bytes of a string's place: its length, then up to 12 bytes of it or a pointer. */
const PLACE_BYTES = 16;
const PLACE_WORDS = 4;
const IN_PLACE_BYTES = 12;

function named(bytes: number, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, bytes]));
}

/** Returns the sender of a column's vectors. */
export function senderOf(sdk: Sdk, type: DuckDBType): VectorSender {
  const { api, bindings: duckdb } = sdk;
  const inner = (types: readonly DuckDBType[]) => types.map((one) => senderOf(sdk, one));
  if (type instanceof api.DuckDBDecimalType) return fixed(duckdb, decimalBytes(type.width));
  if (type instanceof api.DuckDBEnumType) return fixed(duckdb, enumBytes(type.values.length));
  if (type instanceof api.DuckDBListType) return lists(duckdb, senderOf(sdk, type.valueType));
  if (type instanceof api.DuckDBMapType) {
    return lists(duckdb, structs(duckdb, inner([type.keyType, type.valueType])));
  }
  if (type instanceof api.DuckDBArrayType) return arrays(duckdb, senderOf(sdk, type.valueType), type.length);
  if (type instanceof api.DuckDBStructType) return structs(duckdb, inner(type.entryTypes));
  // the first field of a UNION is the tag of the current member
  if (type instanceof api.DuckDBUnionType) return structs(duckdb, [fixed(duckdb, 1), ...inner(type.memberTypes)]);
  const id = api.DuckDBTypeId[type.typeId] ?? '';
  if (STRINGS.has(id)) return strings(duckdb);
  const bytes = FIXED_BYTES[id];
  return bytes === undefined ? driverTexts(sdk, type) : fixed(duckdb, bytes);
}

/** Returns the bytes of a DECIMAL: DuckDB stores up to 4 digits in 16 bits, 9 in 32, 18 in 64, 38 in 128. */
function decimalBytes(width: number): number {
  if (width <= 4) return 2;
  if (width <= 9) return 4;
  return width <= 18 ? 8 : 16;
}

/** Returns the bytes of an ENUM, the index of its value in 8, 16 or 32 bits by the number of values. */
function enumBytes(values: number): number {
  if (values < 256) return 1;
  return values < 65_536 ? 2 : 4;
}

function fixed(duckdb: Bindings, bytes: number): VectorSender {
  return {
    weigh: (span) => padded(bytes * (span.to - span.from)) + weighValid(duckdb, span),
    write: (span, parts) => {
      const { vector, from, to } = span;
      const data = duckdb.vector_get_data(vector, to * bytes).subarray(from * bytes);
      parts.write(data);
      return { rows: to - from, data: data.length, valid: writeValid(duckdb, span, parts), heap: 0, children: [] };
    },
  };
}

function strings(duckdb: Bindings): VectorSender {
  return {
    weigh: (span) => {
      const { places, isNull } = placesOf(duckdb, span);
      let heap = 0;
      for (let at = 0; at < places.length; at += PLACE_WORDS) {
        const length = places[at] ?? 0;
        if (length > IN_PLACE_BYTES && !isNull(at / PLACE_WORDS)) heap += length;
      }
      return padded(places.byteLength) + padded(heap) + weighValid(duckdb, span);
    },
    write: (span, parts) => {
      const { places, isNull } = placesOf(duckdb, span);
      const sent = parts.write(new Uint8Array(places.buffer, places.byteOffset, places.byteLength));
      const copy = new Uint32Array(sent.buffer, sent.byteOffset, places.length);
      const valid = writeValid(duckdb, span, parts);
      const pieces = takeHeap(copy, isNull, (row, bytes) =>
        duckdb.get_data_from_pointer(
          places.buffer as ArrayBuffer,
          places.byteOffset + PLACE_BYTES * row + PLACE_BYTES / 2,
          bytes,
        ),
      );
      const heap = pieces.reduce((sum, piece) => sum + piece.length, 0);
      parts.write(...pieces);
      return { rows: span.to - span.from, data: sent.length, valid, heap, children: [] };
    },
  };
}

/** Returns the places of strings in DuckDB's memory, and which rows are NULL, whose places hold arbitrary bytes. */
function placesOf(duckdb: Bindings, span: Span) {
  const { buffer, byteOffset } = duckdb.vector_get_data(span.vector, span.to * PLACE_BYTES);
  const words = PLACE_WORDS * (span.to - span.from);
  return {
    places: new Uint32Array(buffer, byteOffset + span.from * PLACE_BYTES, words),
    isNull: nullsOf(validOf(duckdb, span)),
  };
}

function nullsOf(valid: Uint8Array | undefined): (row: number) => boolean {
  if (valid === undefined) return () => false;
  return (row) => (((valid[row >> 3] ?? 0) >> (row & 7)) & 1) === 0;
}

/**
 * Replaces the addresses by places in a heap, and returns the pieces of that heap. Strings that are adjacent in DuckDB's memory
 * (nearly all are) are fetched in one piece; a call for each would cost 0.5 µs. Only memory of these very strings is touched.
 */
function takeHeap(
  places: Uint32Array,
  isNull: (row: number) => boolean,
  fetch: (row: number, bytes: number) => Uint8Array,
): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let heapBytes = 0;
  let run = { first: 0, bytes: 0, end: -1 };
  const close = () => {
    if (run.bytes > 0) pieces.push(fetch(run.first, run.bytes));
  };
  for (let row = 0; PLACE_WORDS * row < places.length; row++) {
    const at = PLACE_WORDS * row;
    const length = places[at] ?? 0;
    if (length <= IN_PLACE_BYTES) continue;
    if (isNull(row)) {
      places[at] = 0;
      continue;
    }
    const address = (places[at + 2] ?? 0) + (places[at + 3] ?? 0) * 4_294_967_296;
    if (address !== run.end) {
      close();
      run = { first: row, bytes: 0, end: address };
    }
    run.bytes += length;
    run.end += length;
    places[at + 2] = heapBytes;
    places[at + 3] = 0;
    heapBytes += length;
  }
  close();
  return pieces;
}

/** Bytes of a list's place: its offset and its length in one child vector, 64 bits each. */
const LIST_BYTES = 16;

function lists(duckdb: Bindings, items: VectorSender): VectorSender {
  const open = (span: Span) => {
    const { vector, from, to } = span;
    const { buffer, byteOffset } = duckdb.vector_get_data(vector, to * LIST_BYTES);
    const places = new BigUint64Array(buffer, byteOffset + from * LIST_BYTES, 2 * (to - from));
    const isNull = nullsOf(validOf(duckdb, span));
    const [first, end] = itemsOf(places, isNull);
    return { places, isNull, inner: { vector: duckdb.list_vector_get_child(vector), from: first, to: end } };
  };
  return {
    weigh: (span) => LIST_BYTES * (span.to - span.from) + weighValid(duckdb, span) + items.weigh(open(span).inner),
    write: (span, parts) => {
      const { places, isNull, inner } = open(span);
      const sent = parts.write(new Uint8Array(places.buffer, places.byteOffset, places.byteLength));
      rebase(new BigUint64Array(sent.buffer, sent.byteOffset, places.length), isNull, BigInt(inner.from));
      const valid = writeValid(duckdb, span, parts);
      const children = [items.write(inner, parts)];
      return { rows: span.to - span.from, data: sent.length, valid, heap: 0, children };
    },
  };
}

/** Returns the first item of these lists and the end of the last. */
function itemsOf(places: BigUint64Array, isNull: (row: number) => boolean): readonly [number, number] {
  let [first, end] = [Number.POSITIVE_INFINITY, 0];
  for (let row = 0; 2 * row < places.length; row++) {
    const [at, length] = [Number(places[2 * row] ?? 0n), Number(places[2 * row + 1] ?? 0n)];
    if (length === 0 || isNull(row)) continue;
    first = Math.min(first, at);
    end = Math.max(end, at + length);
  }
  return end === 0 ? [0, 0] : [first, end];
}

/** Makes the offsets count from the first item that is sent. */
function rebase(places: BigUint64Array, isNull: (row: number) => boolean, first: bigint): void {
  for (let row = 0; 2 * row < places.length; row++) {
    const isEmpty = isNull(row) || places[2 * row + 1] === 0n;
    places[2 * row] = isEmpty ? 0n : (places[2 * row] ?? 0n) - first;
    if (isEmpty) places[2 * row + 1] = 0n;
  }
}

function arrays(duckdb: Bindings, items: VectorSender, size: number): VectorSender {
  const inner = ({ vector, from, to }: Span) => ({
    vector: duckdb.array_vector_get_child(vector),
    from: from * size,
    to: to * size,
  });
  return {
    weigh: (span) => weighValid(duckdb, span) + items.weigh(inner(span)),
    write: (span, parts) => {
      const valid = writeValid(duckdb, span, parts);
      return { rows: span.to - span.from, data: 0, valid, heap: 0, children: [items.write(inner(span), parts)] };
    },
  };
}

function structs(duckdb: Bindings, fields: readonly VectorSender[]): VectorSender {
  const childOf = ({ vector, from, to }: Span, at: number) => ({
    vector: duckdb.struct_vector_get_child(vector, at),
    from,
    to,
  });
  return {
    weigh: (span) => fields.reduce((sum, field, at) => sum + field.weigh(childOf(span, at)), weighValid(duckdb, span)),
    write: (span, parts) => {
      const valid = writeValid(duckdb, span, parts);
      const children = fields.map((field, at) => field.write(childOf(span, at), parts));
      return { rows: span.to - span.from, data: 0, valid, heap: 0, children };
    },
  };
}

/** Sends rare types as JSON texts of the driver's own values. */
function driverTexts({ api }: Sdk, type: DuckDBType): VectorSender {
  const isVariant = api.DuckDBTypeId[type.typeId] === 'VARIANT';
  const encode = ({ vector, from, to }: Span): Uint8Array => {
    const values = api.DuckDBVector.create(vector, to, type);
    const texts: (string | null)[] = [];
    for (let row = from; row < to; row++) {
      const value = values.getItem(row);
      const { JsonDuckDBValueConverter: convert } = api;
      // a value of VARIANT without a form in JSON (integers above 2^53, dates) becomes a JSON string
      if (isVariant && value !== null) texts.push(JSON.stringify(convert(value, type, convert)));
      else texts.push(value === null ? null : String(value));
    }
    return Buffer.from(JSON.stringify(texts));
  };
  return {
    weigh: (span) => padded(encode(span).length),
    write: (span, parts) => {
      const data = parts.write(encode(span));
      return { rows: span.to - span.from, data: data.length, valid: 0, heap: 0, children: [] };
    },
  };
}

function weighValid(duckdb: Bindings, span: Span): number {
  return padded(validOf(duckdb, span)?.length ?? 0);
}

function writeValid(duckdb: Bindings, span: Span, parts: Parts): number {
  const valid = validOf(duckdb, span);
  return valid === undefined ? 0 : parts.write(valid).length;
}

/** Returns the bit mask of rows that are not NULL, from the first row on; undefined where no row of the vector is NULL. */
function validOf(duckdb: Bindings, { vector, from, to }: Span): Uint8Array | undefined {
  const mask: Uint8Array | null = duckdb.vector_get_validity(vector, Math.ceil(to / 64) * 8);
  if (mask === null) return undefined;
  const [first, shift] = [from >> 3, from & 7];
  const bytes = Math.ceil((to - from) / 8);
  if (shift === 0) return mask.subarray(first, first + bytes);
  return Uint8Array.from({ length: bytes }, (_, at) => {
    const [low, high] = [mask[first + at] ?? 0, mask[first + at + 1] ?? 0];
    return (low >> shift) | (high << (8 - shift));
  });
}
