import { type Micros, msOfMicros, stringifyJson } from '../../kernel/index.ts';
import {
  type ColumnSource,
  columnLeaves,
  type LeafNode,
  type ObjectNode,
  type PlaceNode,
} from '../events/place-tree.ts';
import type { Row } from '../unit-mapping.ts';
import type { CellWriter } from './cell-text.ts';
import { shownValue } from './failed-row.ts';
import { compileList } from './list-text.ts';
import type { Refusal } from './refusal.ts';

/** A part of the batch as JSON text, of a row and its time; undefined: the row has nothing for it. */
export type PartWriter = (row: Row, time: Micros) => string | undefined | Refusal;

export interface ObjectPlan {
  /** Path of the object that is there in any case. */
  readonly root: string;
  /** Names of fields that an object at a path needs when it is there; of the names in one entry one is enough. */
  readonly requiredFields: (path: string) => readonly (readonly string[])[];
  readonly cellWriter: (leaf: LeafNode & { readonly source: ColumnSource }) => CellWriter;
  /** Path of the leaf that holds the row's time where its column is NULL. */
  readonly timePath?: string;
}

/**
 * Compiles how an object is written: nothing is looked up by name per row. A NULL leaves its field out, and an object
 * without any field is left out. One that lacks a required field is left out where all its columns are NULL, whatever is
 * static in it; otherwise the row is refused.
 */
export function compileObject(node: ObjectNode, plan: ObjectPlan): PartWriter {
  const fields: readonly Field[] = [...node.fields].map(([name, field]) => ({
    first: `{${JSON.stringify(name)}:`,
    next: `,${JSON.stringify(name)}:`,
    write: compilePart(field, plan),
  }));
  const needs = compileNeeds(node, plan);
  if (needs.length === 0) return (row, time) => writeFields(fields, row, time);
  return (row, time) => {
    const parts = fields.map(({ write }) => write(row, time));
    const refusal = parts.find((part) => typeof part === 'object');
    if (refusal !== undefined) return refusal;
    const lacking = needs.find((choice) => choice.every((index) => parts[index] === undefined));
    if (lacking === undefined) return joinParts(fields, parts as Parts);
    return node.path !== plan.root && isEmpty(node, row) ? undefined : lackingField(node, lacking);
  };
}

interface Field {
  /** The key as it stands in front of the object's first field, and of every other. */
  readonly first: string;
  readonly next: string;
  readonly write: PartWriter;
}

/** The most rows come this way: an array for each object would cost a fifth more. */
function writeFields(fields: readonly Field[], row: Row, time: Micros): string | undefined | Refusal {
  let text = '';
  for (let index = 0; index < fields.length; index++) {
    const { first, next, write } = fields[index] as Field;
    const part = write(row, time);
    if (part === undefined) continue;
    if (typeof part === 'object') return part;
    text += text === '' ? first + part : next + part;
  }
  return text === '' ? undefined : `${text}}`;
}

type Parts = readonly (string | undefined)[];

function joinParts(fields: readonly Field[], parts: Parts): string | undefined {
  let text = '';
  for (let index = 0; index < fields.length; index++) {
    const { first, next } = fields[index] as Field;
    const part = parts[index];
    if (part !== undefined) text += text === '' ? first + part : next + part;
  }
  return text === '' ? undefined : `${text}}`;
}

function compilePart(node: PlaceNode, plan: ObjectPlan): PartWriter {
  if (node.kind === 'leaf') return compileLeaf(node, plan);
  const write = compileObject(node, plan);
  return node.isList ? compileList(node, write) : write;
}

/** Compiles how a single value is written. */
export function compileLeaf(leaf: LeafNode, plan: Pick<ObjectPlan, 'cellWriter' | 'timePath'>): PartWriter {
  const { source } = leaf;
  if (source.kind === 'time') return timeText;
  if (source.kind === 'static') {
    const text = stringifyJson(source.value);
    return () => text;
  }
  const { column, position } = source;
  const write = plan.cellWriter({ ...leaf, source });
  const absent: PartWriter = leaf.path === plan.timePath ? timeText : () => undefined;
  return (row, time) => {
    const cell = row[position] ?? null;
    if (cell === null) return absent(row, time);
    const text = write(cell);
    return typeof text === 'object' ? { ...text, field: column.name, value: shownValue(cell) } : text;
  };
}

function timeText(_row: Row, time: Micros): string {
  return String(msOfMicros(time));
}

/** Indexes of fields of which an object needs one. */
type Choice = readonly number[];

/** What is static is there, and what is mapped from nothing at all is no matter of rows. */
function compileNeeds({ fields, path }: ObjectNode, { requiredFields }: ObjectPlan): readonly Choice[] {
  const nodes = [...fields];
  const isThere = (index: number) => isStatic(nodes[index]?.[1]);
  return requiredFields(path)
    .map((choice) => choice.map((name) => nodes.findIndex(([field]) => field === name)).filter((index) => index >= 0))
    .filter((choice) => choice.length > 0 && !choice.some(isThere));
}

function isStatic(node: PlaceNode | undefined): boolean {
  return node?.kind === 'leaf' && node.source.kind !== 'column';
}

/** All columns are NULL; never so for what has no columns. */
function isEmpty(node: ObjectNode, row: Row): boolean {
  const leaves = columnLeaves(node);
  return leaves.length > 0 && leaves.every(({ source }) => (row[source.position] ?? null) === null);
}

function lackingField({ path, fields }: ObjectNode, choice: Choice): Refusal {
  const lacking = [...fields].filter((_, index) => choice.includes(index));
  const wanted = lacking.map(([name]) => (path === '' ? name : `${path}.${name}`)).join(' or ');
  const [first] = lacking.flatMap(([, field]) => columnLeaves(field));
  const field = first?.source.column.name ?? '';
  return { rule: 'value_missing', field, value: null, reason: `${wanted} is required, and the row has NULL for it.` };
}
