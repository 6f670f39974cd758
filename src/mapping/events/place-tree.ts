import type { Destination } from '../../events/index.ts';
import { itemAt, type Json } from '../../kernel/index.ts';
import type { Column } from '../../warehouse/index.ts';

export interface ColumnSource {
  readonly kind: 'column';
  readonly column: Column;
  readonly position: number;
}

/** The source of a value in the batch: a column of the row, a static value of the transformation, or the row's time in ms. */
export type Source = ColumnSource | { readonly kind: 'static'; readonly value: Json } | { readonly kind: 'time' };

/** One mapping whose destination is a place in the batch. */
export interface Placed {
  readonly source: Source;
  readonly destination: Destination;
}

export interface LeafNode extends Placed {
  readonly kind: 'leaf';
  readonly path: string;
}

export interface ObjectNode {
  readonly kind: 'object';
  /** Dotted path from the batch; empty for the batch itself. */
  readonly path: string;
  /** Steps from the batch to the object. Its own step is at position `depth - 1` of a destination's path. */
  readonly depth: number;
  /** The path holds a list of such objects. */
  readonly isList: boolean;
  readonly fields: ReadonlyMap<string, PlaceNode>;
}

export type PlaceNode = LeafNode | ObjectNode;

type Draft = Omit<ObjectNode, 'fields'> & { readonly fields: Map<string, PlaceNode> };

/** Returns the tree of objects below `root` that hold the values, in the order of the mappings. */
export function placeTree(placed: readonly Placed[], root: readonly string[]): ObjectNode {
  const tree: Draft = newObject(root, false);
  for (const each of placed) place(tree, each);
  return tree;
}

function place(tree: Draft, placed: Placed): void {
  const { path } = placed.destination;
  let node = tree;
  for (let step = tree.depth; step < path.length - 1; step++) {
    const name = itemAt(path, step);
    const known = node.fields.get(name);
    const next =
      known?.kind === 'object'
        ? (known as Draft)
        : newObject(path.slice(0, step + 1), listSteps(placed.destination).includes(step));
    node.fields.set(name, next);
    node = next;
  }
  node.fields.set(itemAt(path, path.length - 1), { kind: 'leaf', path: path.join('.'), ...placed });
}

function newObject(path: readonly string[], isList: boolean): Draft {
  return { kind: 'object', path: path.join('.'), depth: path.length, isList, fields: new Map() };
}

/** Returns the steps of the path that hold a list of objects. `events` holds the row's one event, so it does not count. */
export function listSteps({ lists }: Destination): readonly number[] {
  return lists.filter((step) => step > 0);
}

/** Returns the leaves of a node whose values come from columns. */
export function columnLeaves(node: PlaceNode): readonly (LeafNode & { readonly source: ColumnSource })[] {
  if (node.kind === 'object') return [...node.fields.values()].flatMap(columnLeaves);
  const { source } = node;
  return source.kind === 'column' ? [{ ...node, source }] : [];
}
