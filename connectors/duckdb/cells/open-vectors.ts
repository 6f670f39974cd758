import { AppError } from '../../../src/kernel/index.ts';
import type { VectorShape } from '../wire/messages.ts';
import { padded } from '../wire/parts.ts';

/** One received vector, as views of the memory of its piece. */
export interface Vector {
  readonly rows: number;
  readonly data: Uint8Array;
  /** Bit mask of the rows that are not NULL; undefined where no row is NULL. */
  readonly valid: Uint8Array | undefined;
  readonly heap: Uint8Array;
  readonly children: readonly Vector[];
}

/** Returns the vectors of a piece. Their parts follow each other in `bytes`. */
export function openVectors(shapes: readonly VectorShape[], bytes: Uint8Array): readonly Vector[] {
  let at = 0;
  const take = (length: number): Uint8Array => {
    const part = bytes.subarray(at, at + length);
    at += padded(length);
    return part;
  };
  const open = (shape: VectorShape): Vector => {
    const [data, valid, heap] = [take(shape.data), take(shape.valid), take(shape.heap)];
    return {
      rows: shape.rows,
      data,
      valid: shape.valid === 0 ? undefined : valid,
      heap,
      children: shape.children.map(open),
    };
  };
  const vectors = shapes.map(open);
  if (at !== bytes.length) throw new AppError('WAREHOUSE_UNKNOWN', 'DuckDB sent rows that are not as long as it said.');
  return vectors;
}

/** Returns the child vector of a nested type. */
export function childOf({ children }: Vector, at = 0): Vector {
  const child = children[at];
  if (child === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'DuckDB sent a nested value without its parts.');
  return child;
}
