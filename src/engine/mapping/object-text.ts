import { type Micros, msOfMicros, stringifyJson } from '../../kernel/index.ts';
import type { CellWriter } from './cell-text.ts';
import { shownValue } from './failed-row.ts';
import { compileList } from './list-text.ts';
import { type ColumnSource, columnLeaves, type LeafNode, type ObjectNode, type PlaceNode } from './place-tree.ts';
import type { Refusal } from './refusal.ts';
import type { Row } from './unit-mapping.ts';

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
  const keys = [...node.fields.keys()].map((name) => `${JSON.stringify(name)}:`);
  const writers = [...node.fields.values()].map((field) => compilePart(field, plan));
  const needs = compileNeeds(node, plan);
  return (row, time) => {
    const parts = new Array<string | undefined>(writers.length);
    for (let index = 0; index < writers.length; index++) {
      const part = (writers[index] as PartWriter)(row, time);
      if (typeof part === 'object') return part;
      parts[index] = part;
    }
    const lacking = needs.length === 0 ? undefined : needs.find((choice) => isLacking(choice, parts));
    if (lacking === undefined) return objectText(keys, parts);
    return node.path !== plan.root && isEmpty(node, row) ? undefined : lackingField(node, lacking);
  };
}

function objectText(keys: readonly string[], parts: Parts): string | undefined {
  let text = '';
  for (let index = 0; index < keys.length; index++) {
    const part = parts[index];
    if (part !== undefined) text += `${text === '' ? '{' : ','}${keys[index]}${part}`;
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

type Parts = readonly (string | undefined)[];

/** Indexes of fields of which an object needs one. */
type Choice = readonly number[];

/** What is mapped from nothing at all is no matter of rows. */
function compileNeeds({ fields, path }: ObjectNode, { requiredFields }: ObjectPlan): readonly Choice[] {
  const names = [...fields.keys()];
  return requiredFields(path)
    .map((choice) => choice.map((name) => names.indexOf(name)).filter((index) => index >= 0))
    .filter((choice) => choice.length > 0);
}

function isLacking(choice: Choice, parts: Parts): boolean {
  return choice.every((index) => parts[index] === undefined);
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
