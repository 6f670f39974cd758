import type { Cell } from '../../../src/warehouse/index.ts';
import type { Bindings } from '../sdk.ts';
import type { CellReader, VectorReader } from './vectors.ts';
import { words } from './vectors.ts';

/** Reads LIST: 16 bytes a row, offset and length into one child vector. */
export function lists(duckdb: Bindings, open: VectorReader): VectorReader {
  return (vector, count) => {
    const { items, spanOf } = openList(duckdb, open, { vector, count });
    return (index) => {
      const { from, to } = spanOf(index);
      return slice(items, from, to);
    };
  };
}

/** Reads ARRAY: the items of row n are the n-th `size` items of the child. */
export function arrays(duckdb: Bindings, open: VectorReader, size: number): VectorReader {
  return (vector, count) => {
    const items = open(duckdb.array_vector_get_child(vector), count * size);
    return (index) => slice(items, index * size, (index + 1) * size);
  };
}

/** Reads STRUCT: one child vector for each field. */
export function structs(duckdb: Bindings, fields: readonly NestedField[]): VectorReader {
  return (vector, count) => {
    const readers = fields.map(({ name, open }, at) => {
      return { name, read: open(duckdb.struct_vector_get_child(vector, at), count) };
    });
    return (index) => ({ entries: readers.map(({ name, read }): [Cell, Cell] => [name, read(index)]) });
  };
}

export interface NestedField {
  readonly name: string;
  readonly open: VectorReader;
}

/** Reads MAP: a list whose items are structs of a key and a value. */
export function maps(duckdb: Bindings, key: VectorReader, value: VectorReader): VectorReader {
  const entry: VectorReader = (vector, count) => {
    const keys = key(duckdb.struct_vector_get_child(vector, 0), count);
    const values = value(duckdb.struct_vector_get_child(vector, 1), count);
    return (index) => [keys(index), values(index)];
  };
  return (vector, count) => {
    const { items, spanOf } = openList(duckdb, entry, { vector, count });
    return (index) => {
      const { from, to } = spanOf(index);
      return { entries: slice(items, from, to) as readonly (readonly [Cell, Cell])[] };
    };
  };
}

/** Reads UNION: a struct whose first field is the tag of the current member; a cell is that member with its name. */
export function unions(duckdb: Bindings, members: readonly NestedField[]): VectorReader {
  return (vector, count) => {
    const tags = duckdb.vector_get_data(duckdb.struct_vector_get_child(vector, 0), count);
    const readers = members.map(({ name, open }, at) => {
      return { name, read: open(duckdb.struct_vector_get_child(vector, at + 1), count) };
    });
    return (index) => {
      const member = readers[tags[index] ?? 0];
      return member === undefined ? null : { entries: [[member.name, member.read(index)]] };
    };
  };
}

function openList(duckdb: Bindings, open: VectorReader, { vector, count }: Opened) {
  const { u64 } = words(duckdb, vector, count * 16);
  const items = open(duckdb.list_vector_get_child(vector), duckdb.list_vector_get_size(vector));
  const spanOf = (index: number) => {
    const from = Number(u64[2 * index] ?? 0n);
    return { from, to: from + Number(u64[2 * index + 1] ?? 0n) };
  };
  return { items, spanOf };
}

interface Opened {
  readonly vector: Parameters<VectorReader>[0];
  readonly count: number;
}

function slice(read: CellReader, from: number, to: number): readonly Cell[] {
  const cells: Cell[] = [];
  for (let index = from; index < to; index++) cells.push(read(index));
  return cells;
}
