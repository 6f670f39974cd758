import { AppError } from '../kernel/index.ts';
import type { CopyColumn, CopyType, CopyValue } from './contract.ts';

/** A CopyData message while it is filled: five bytes of frame, then rows in PostgreSQL's binary COPY format. */
export interface Slab {
  bytes: Buffer;
  view: DataView;
  at: number;
}

type WriteField = (slab: Slab, value: NonNullable<CopyValue>) => void;

const FRAME_BYTES = 5;
const COPY_DATA = 0x64;
const SLAB_BYTES = 256 * 1024;
/** A slab goes out when this much is in it, so that an ordinary row never makes it grow. */
const FULL_BYTES = 192 * 1024;
/** Length below which a loop over the characters is faster than a call into the engine's encoder. */
const SHORT_TEXT = 40;
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const BLOCK_BYTES = 16;

export function createSlab(): Slab {
  return slabOver(Buffer.allocUnsafeSlow(SLAB_BYTES));
}

/** Empties a slab for the next message. One that a huge row made grow gets its ordinary size back. */
export function resetSlab(slab: Slab): void {
  if (slab.bytes.length > SLAB_BYTES) Object.assign(slab, slabOver(Buffer.allocUnsafeSlow(SLAB_BYTES)));
  slab.at = FRAME_BYTES;
}

export function writeHeader(slab: Slab): void {
  slab.at += HEADER.copy(slab.bytes, slab.at);
}

export function writeTrailer(slab: Slab): void {
  reserve(slab, 2);
  slab.view.setInt16(slab.at, -1);
  slab.at += 2;
}

/** Returns the finished message, a view of the slab, which must not be filled again before the message is sent. */
export function framedBytes(slab: Slab): Buffer {
  slab.bytes[0] = COPY_DATA;
  slab.view.setInt32(1, slab.at - 1);
  return slab.bytes.subarray(0, slab.at);
}

export interface RowSource {
  readonly count: number;
  readonly row: (index: number) => readonly CopyValue[];
}

/** Writes rows from `start` until the slab is full or the rows are used up; returns the index of the next row. */
export type FillSlab = (slab: Slab, source: RowSource, start: number) => number;

/** Throws STORE_DATA for a value that its column's type cannot carry. */
export function createFill(columns: readonly CopyColumn[]): FillSlab {
  const writers = columns.map(fieldWriter);
  const width = writers.length;
  return (slab, { count, row }, start) => {
    let index = start;
    while (index < count && slab.at < FULL_BYTES) {
      const values = row(index);
      reserve(slab, 2 + 4 * width);
      slab.view.setInt16(slab.at, width);
      slab.at += 2;
      for (let field = 0; field < width; field++) {
        const value = values[field];
        if (value === null) writeNull(slab);
        else (writers[field] as WriteField)(slab, value as NonNullable<CopyValue>);
      }
      index++;
    }
    return index;
  };
}

function slabOver(bytes: Buffer): Slab {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: FRAME_BYTES };
}

function reserve(slab: Slab, more: number): void {
  if (slab.at + more <= slab.bytes.length) return;
  const { bytes, at } = slab;
  const grown = slabOver(Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, at + more)));
  bytes.copy(grown.bytes, 0, 0, at);
  slab.bytes = grown.bytes;
  slab.view = grown.view;
}

function writeNull(slab: Slab): void {
  reserve(slab, 4);
  slab.view.setInt32(slab.at, -1);
  slab.at += 4;
}

/** Creates the writer of a column. Its error names the column, so that the user finds a value that does not fit. */
function fieldWriter({ name, type, blocks }: CopyColumn): WriteField {
  const write = blocks === undefined ? WRITERS[type] : blockWriter(blocks);
  return (slab, value) => {
    if (!write(slab, value)) {
      throw new AppError('STORE_DATA', `The store cannot hold a value: ${describe(value)} is not a ${type} (${name}).`);
    }
  };
}

function describe(value: CopyValue | undefined): string {
  return typeof value === 'string' ? `text of ${value.length} characters` : `${typeof value} ${String(value)}`;
}

/** Each writes the length and the value and tells whether the value is one of its type. */
const WRITERS: Readonly<Record<CopyType, (slab: Slab, value: NonNullable<CopyValue>) => boolean>> = {
  int2(slab, value) {
    if (typeof value !== 'number' || (value << 16) >> 16 !== value) return false;
    fixed(slab, 2);
    slab.view.setInt16(slab.at - 2, value);
    return true;
  },
  int4(slab, value) {
    if (typeof value !== 'number' || (value | 0) !== value) return false;
    fixed(slab, 4);
    slab.view.setInt32(slab.at - 4, value);
    return true;
  },
  int8(slab, value) {
    if (typeof value === 'bigint') {
      if (BigInt.asIntN(64, value) !== value) return false;
      fixed(slab, 8);
      slab.view.setBigInt64(slab.at - 8, value);
      return true;
    }
    if (!Number.isSafeInteger(value)) return false;
    fixed(slab, 8);
    slab.view.setInt32(slab.at - 8, Math.floor((value as number) / 2 ** 32));
    slab.view.setUint32(slab.at - 4, (value as number) >>> 0);
    return true;
  },
  float8(slab, value) {
    if (typeof value !== 'number') return false;
    fixed(slab, 8);
    slab.view.setFloat64(slab.at - 8, value);
    return true;
  },
  bool(slab, value) {
    if (typeof value !== 'boolean') return false;
    fixed(slab, 1);
    slab.bytes[slab.at - 1] = value ? 1 : 0;
    return true;
  },
  bytea(slab, value) {
    if (!(value instanceof Uint8Array)) return false;
    fixed(slab, value.length);
    slab.bytes.set(value, slab.at - value.length);
    return true;
  },
  uuid(slab, value) {
    if (typeof value !== 'string' || value.length !== BLOCK_BYTES) return false;
    fixed(slab, BLOCK_BYTES);
    return writeLatin1(slab.bytes, slab.at - BLOCK_BYTES, value);
  },
  text(slab, value) {
    if (typeof value !== 'string') return false;
    // three bytes a UTF-16 unit is the most that UTF-8 needs
    reserve(slab, 4 + value.length * 3);
    const start = slab.at + 4;
    const length =
      value.length < SHORT_TEXT && writeAscii(slab.bytes, start, value)
        ? value.length
        : slab.bytes.write(value, start, 'utf8');
    slab.view.setInt32(slab.at, length);
    slab.at = start + length;
    return true;
  },
};

/** Writes the length and moves behind the value, whose bytes the caller fills in. */
function fixed(slab: Slab, length: number): void {
  reserve(slab, 4 + length);
  slab.view.setInt32(slab.at, length);
  slab.at += 4 + length;
}

function writeAscii(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    bytes[start + index] = unit;
  }
  return true;
}

function writeLatin1(bytes: Buffer, start: number, text: string): boolean {
  let all = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    all |= unit;
    bytes[start + index] = unit;
  }
  return all <= 0xff;
}

function blockWriter(blocks: Uint8Array): (slab: Slab, value: NonNullable<CopyValue>) => boolean {
  const count = blocks.length / BLOCK_BYTES;
  return (slab, value) => {
    if (typeof value !== 'number' || !(value >= 0 && value < count)) return false;
    fixed(slab, BLOCK_BYTES);
    const from = value * BLOCK_BYTES;
    const to = slab.at - BLOCK_BYTES;
    for (let byte = 0; byte < BLOCK_BYTES; byte++) slab.bytes[to + byte] = blocks[from + byte] as number;
    return true;
  };
}
