import { cutter } from '../../_shared/cutter.ts';
import type { Vector } from './open-vectors.ts';
import type { VectorReader } from './vectors.ts';

/**
 * Reads VARCHAR: 16 bytes a string, the length, then up to 12 bytes in place or its place in the heap. The part in place is
 * decoded once for the whole vector, and so is the heap.
 */
export function texts(): VectorReader {
  return ({ data, heap }) => {
    const u32 = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2);
    const raw = Buffer.from(data.buffer, data.byteOffset, data.length);
    const inPlace = raw.toString('latin1');
    const cut = cutter(Buffer.from(heap.buffer, heap.byteOffset, heap.length));
    return (index) => {
      const at = 4 * index;
      const length = u32[at] ?? 0;
      if (length > 12) {
        const from = u32[at + 2] ?? 0;
        return cut(from, from + length);
      }
      const start = 16 * index + 4;
      // the bytes after a short string are zero
      const isPlain = (((u32[at + 1] ?? 0) | (u32[at + 2] ?? 0) | (u32[at + 3] ?? 0)) & 0x80808080) === 0;
      return isPlain ? inPlace.substring(start, start + length) : raw.toString('utf8', start, start + length);
    };
  };
}

/** Reads BLOB and other types with the layout of a string, as a copy of their bytes. */
export function blobs(): (vector: Vector) => (index: number) => Uint8Array {
  return ({ data, heap }) => {
    const u32 = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2);
    return (index) => {
      const length = u32[4 * index] ?? 0;
      if (length <= 12) return data.slice(16 * index + 4, 16 * index + 4 + length);
      const from = u32[4 * index + 2] ?? 0;
      return heap.slice(from, from + length);
    };
  };
}

/** Reads BIT as text of 0 and 1: the first byte is the number of leading bits that are padding. */
export function bits(): VectorReader {
  const open = blobs();
  return (vector) => {
    const bytesAt = open(vector);
    return (index) => {
      const [padding = 0, ...bytes] = bytesAt(index);
      return bytes
        .map((byte) => byte.toString(2).padStart(8, '0'))
        .join('')
        .slice(padding);
    };
  };
}
