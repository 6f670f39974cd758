// The bytes of a piece of rows: parts of its vectors, each beginning at a multiple of eight, so that typed arrays can be laid
// over them.

/** Returns a length rounded up to the boundary at which the next part begins. */
export function padded(length: number): number {
  return (length + 7) & ~7;
}

/** A buffer into which parts are written one after the other. */
export interface Parts {
  /** Copies pieces, each right behind the one before, as one part. Returns the copy. */
  write(...pieces: readonly Uint8Array[]): Uint8Array;
}

/** Writes parts into a buffer, whose own beginning is aligned. */
export function partsIn(buffer: Uint8Array): Parts {
  let end = 0;
  return {
    write: (...pieces) => {
      const from = end;
      for (const piece of pieces) {
        buffer.set(piece, end);
        end += piece.length;
      }
      const written = buffer.subarray(from, end);
      end = padded(end);
      return written;
    },
  };
}
