import type { Token } from '../parser.ts';
import { isRecord, type Node, nodeOf } from '../syntax-tree.ts';
import { nameOf, type Projected, readProjection } from './read-projection.ts';

/** Names of columns that identify a person, in lower case, and the identity each one means. `mpid` is none of them. */
export type IdentityColumns = Readonly<Record<string, string>>;

/** Returns the identity that a column means, in any case. */
export function identityOf(name: string, identities: IdentityColumns): string | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(identities, key) ? identities[key] : undefined;
}

/** A model as the rules read it. For a query that is no plain SELECT, its first SELECT counts. */
export interface WriteBackReading {
  readonly sql: string;
  /** All tokens, the semicolon included; comments are none. */
  readonly tokens: readonly Token[];
  /** `select`, `union` …, or `subquery` for a query in parentheses. */
  readonly root: Node;
  readonly select: Node['fields'];
  readonly sources: readonly Node[];
  readonly table: TableReading;
  readonly projection: readonly Projected[];
  readonly identities: IdentityColumns;
}

export interface TableReading {
  /** Parts of the name, the outermost first. Empty: FROM names no table. */
  readonly path: readonly string[];
  readonly fields: Node['fields'];
}

type ToRead = Pick<WriteBackReading, 'sql' | 'tokens' | 'root' | 'identities'>;

export function readWriteBack(model: ToRead): WriteBackReading {
  const select = firstSelect(model.root);
  const sources = expressionsOf(select.from).map((source) => nodeOf(source) ?? { kind: 'unknown', fields: {} });
  const table = readTable(sources[0]);
  const names = [nameOf(table.fields.alias), table.path.at(-1) ?? ''].filter((name) => name !== '');
  const projection = readProjection(
    { ...model, select },
    names.slice(0, 1).map((name) => name.toLowerCase()),
  );
  return { ...model, select, sources, table, projection };
}

function firstSelect(root: Node): Node['fields'] {
  let node: Node | undefined = root;
  while (node !== undefined && node.kind !== 'select') node = nodeOf(node.fields.left ?? node.fields.this);
  return node?.fields ?? {};
}

function readTable(source: Node | undefined): TableReading {
  if (source?.kind !== 'table') return { path: [], fields: {} };
  const { catalog, schema, name } = source.fields;
  // for a name of four parts, the parser keeps the outer two in one
  const outer = isRecord(catalog) ? nameOf(catalog).split('.') : [];
  return { path: [...outer, ...(isRecord(schema) ? [nameOf(schema)] : []), nameOf(name)], fields: source.fields };
}

function expressionsOf(clause: unknown): readonly unknown[] {
  return isRecord(clause) && Array.isArray(clause.expressions) ? clause.expressions : [];
}

/** The message and the place of a broken rule. */
export interface Finding {
  readonly message: string;
  /** UTF-16 offset in the text. */
  readonly offset: number;
}

/** Returns the keywords of a field: `order_by` → `ORDER BY`. */
export function wordsOf(field: string): string {
  return field.replaceAll('_', ' ').trim().toUpperCase();
}

/** Tells whether a part of the tree is present. */
export function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
}
