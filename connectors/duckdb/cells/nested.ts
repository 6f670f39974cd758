import type { Cell } from '../../../src/warehouse/index.ts';
import { childOf, type Vector } from './open-vectors.ts';
import { type CellReader, type VectorReader, words } from './vectors.ts';

/** Reads LIST: 16 bytes a row, offset and length into one child vector. */
export function lists(open: VectorReader): VectorReader {
  return (vector) => {
    const { items, spanOf } = openList(open, vector);
    return (index) => {
      const { from, to } = spanOf(index);
      return slice(items, from, to);
    };
  };
}

/** Reads ARRAY: the items of row n are the n-th `size` items of the child. */
export function arrays(open: VectorReader, size: number): VectorReader {
  return (vector) => {
    const items = open(childOf(vector));
    return (index) => slice(items, index * size, (index + 1) * size);
  };
}

/** Reads STRUCT: one child vector for each field. */
export function structs(fields: readonly NestedField[]): VectorReader {
  return (vector) => {
    const readers = fields.map(({ name, open }, at) => {
      return { name, read: open(childOf(vector, at)) };
    });
    return (index) => ({ entries: readers.map(({ name, read }): [Cell, Cell] => [name, read(index)]) });
  };
}

export interface NestedField {
  readonly name: string;
  readonly open: VectorReader;
}

/** Reads MAP: a list whose items are structs of a key and a value. */
export function maps(key: VectorReader, value: VectorReader): VectorReader {
  const entry: VectorReader = (vector) => {
    const keys = key(childOf(vector, 0));
    const values = value(childOf(vector, 1));
    return (index) => [keys(index), values(index)];
  };
  return (vector) => {
    const { items, spanOf } = openList(entry, vector);
    return (index) => {
      const { from, to } = spanOf(index);
      return { entries: slice(items, from, to) as readonly (readonly [Cell, Cell])[] };
    };
  };
}

/** Reads UNION: a struct whose first field is the tag of the current member; a cell is that member with its name. */
export function unions(members: readonly NestedField[]): VectorReader {
  return (vector) => {
    const tags = childOf(vector, 0).data;
    const readers = members.map(({ name, open }, at) => {
      return { name, read: open(childOf(vector, at + 1)) };
    });
    return (index) => {
      const member = readers[tags[index] ?? 0];
      return member === undefined ? null : { entries: [[member.name, member.read(index)]] };
    };
  };
}

function openList(open: VectorReader, vector: Vector) {
  const { u64 } = words(vector);
  const items = open(childOf(vector));
  const spanOf = (index: number) => {
    const from = Number(u64[2 * index] ?? 0n);
    return { from, to: from + Number(u64[2 * index + 1] ?? 0n) };
  };
  return { items, spanOf };
}

function slice(read: CellReader, from: number, to: number): readonly Cell[] {
  const cells: Cell[] = [];
  for (let index = from; index < to; index++) cells.push(read(index));
  return cells;
}
