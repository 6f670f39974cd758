import { AppError } from '../kernel/index.ts';
import type { CopyOutType, CopyValue, OnCopyRow } from './contract.ts';

const SIGNATURE = 0x5047434f; // PGCO
const HEADER_BYTES = 19;
const TRAILER = -1;
const NULL = -1;

/** Position in the driver's buffer. The view is kept while the buffer behind the messages is the same. */
interface Cursor {
  bytes: Buffer;
  view: DataView;
  at: number;
}

type ReadField = (cursor: Cursor, length: number) => CopyValue;

const READERS: Readonly<Record<CopyOutType, ReadField>> = {
  int2: ({ view, at }) => view.getInt16(at),
  int4: ({ view, at }) => view.getInt32(at),
  int8: ({ view, at }) => view.getBigInt64(at),
  float8: ({ view, at }) => view.getFloat64(at),
  bool: ({ bytes, at }) => bytes[at] === 1,
  text: ({ bytes, at }, length) => bytes.toString('utf8', at, at + length),
  uuid: ({ bytes, at }) => bytes.toString('latin1', at, at + 16),
  place: ({ at }) => at,
  // no copy: a caller that keeps the bytes copies them
  bytea: ({ bytes, at }, length) => bytes.subarray(at, at + length),
};

/**
 * Reads the messages of a binary COPY TO. PostgreSQL sends one row a message, the first with the header before it; the
 * values are copied out before `decode` returns, but for bytes, which are a view of the driver's buffer. All rows come in one
 * array. Throws when a row has another number of columns than `types`.
 */
export function createDecoder(types: readonly CopyOutType[], onRow: OnCopyRow) {
  const readers = types.map((type) => READERS[type]);
  const values = new Array<CopyValue>(types.length).fill(null);
  const cursor: Cursor = { bytes: Buffer.alloc(0), view: new DataView(new ArrayBuffer(0)), at: 0 };
  return (message: Uint8Array<ArrayBuffer>): void => {
    moveTo(cursor, message);
    const end = message.byteOffset + message.byteLength;
    while (cursor.at < end) {
      const fields = cursor.view.getInt16(cursor.at);
      cursor.at += 2;
      if (fields === TRAILER) return;
      if (fields !== readers.length) throw mismatch(fields, readers.length);
      readRow(cursor, readers, values);
      onRow(values, cursor.bytes);
    }
  };
}

function moveTo(cursor: Cursor, message: Uint8Array<ArrayBuffer>): void {
  if (cursor.view.buffer !== message.buffer) {
    cursor.view = new DataView(message.buffer);
    cursor.bytes = Buffer.from(message.buffer);
  }
  cursor.at = message.byteOffset;
  if (message.byteLength >= HEADER_BYTES && cursor.view.getUint32(cursor.at) === SIGNATURE) cursor.at += HEADER_BYTES;
}

function readRow(cursor: Cursor, readers: readonly ReadField[], values: CopyValue[]): void {
  let field = 0;
  for (const read of readers) {
    const length = cursor.view.getInt32(cursor.at);
    cursor.at += 4;
    values[field] = length === NULL ? null : read(cursor, length);
    if (length !== NULL) cursor.at += length;
    field += 1;
  }
}

function mismatch(found: number, expected: number): AppError {
  return new AppError('INTERNAL', `A COPY of the store returned ${found} columns instead of ${expected}.`);
}
