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

/** Writes one part of the batch for a row and its time, as JSON text. Returns undefined where the row has no value for it. */
export type PartWriter = (row: Row, time: Micros) => string | undefined | Refusal;

export interface ObjectPlan {
  /** Path of the object that is always present. */
  readonly root: string;
  /** Returns the fields that an object at a path needs when it is present. One name of each entry is enough. */
  readonly requiredFields: (path: string) => readonly (readonly string[])[];
  readonly cellWriter: (leaf: LeafNode & { readonly source: ColumnSource }) => CellWriter;
  /** Path of the leaf that takes the row's time where its column is NULL. */
  readonly timePath?: string;
}

/**
 * Compiles the writer of an object, so that nothing is looked up by name per row.
 * A NULL leaves its field out, and an object without any field is left out. An object that lacks a required field is left out
 * where all its columns are NULL, whatever static values it has. Otherwise the row is refused.
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
  /** The key as written before the object's first field; `next` is its form before later fields. */
  readonly first: string;
  readonly next: string;
  readonly write: PartWriter;
}

/** Writes the fields by appending to one text. Most rows come this way: an array for each object would cost a fifth more. */
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

/** Compiles the writer of a single value. */
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

/** Indexes of fields. An object needs one of them. */
type Choice = readonly number[];

/**
 * Returns the choices of fields that a row can fail to fill. Static values are always present, and a field without a mapping
 * does not depend on rows.
 */
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

/** Tells whether all columns of an object are NULL. An object without columns is never empty. */
function isEmpty(node: ObjectNode, row: Row): boolean {
  const leaves = columnLeaves(node);
  return leaves.length > 0 && leaves.every(({ source }) => (row[source.position] ?? null) === null);
}

function lackingField({ path, fields }: ObjectNode, choice: Choice): Refusal {
  const lacking = [...fields].filter((_, index) => choice.includes(index));
  const wanted = lacking.map(([name]) => (path === '' ? name : `${path}.${name}`)).join(' or ');
  const [first] = lacking.flatMap(([, field]) => columnLeaves(field));
  const field = first?.source.column.name ?? '';
  return {
    rule: 'value_missing',
    field,
    value: null,
    reason: `${wanted} is required, but the row has NULL for it. Fill the column, or filter such rows in the model.`,
  };
}
