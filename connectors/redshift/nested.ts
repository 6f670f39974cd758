// Arrays and composite values, which PostgreSQL writes as one text with its own quoting.
import { AppError } from '../../src/kernel/index.ts';
import type { Cell, NestedCell } from '../../src/warehouse/index.ts';

export type ReadText = (text: string) => Cell;

interface Scan {
  readonly text: string;
  at: number;
}

/** Returns a reader of `{1,NULL,{…}}`, also with bounds before it, `[0:1]={…}`. */
export function arrayReader(read: ReadText, delimiter: string): (text: string) => readonly Cell[] {
  return (text) => {
    const scan = { text, at: text.startsWith('[') ? text.indexOf('=') + 1 : 0 };
    return items(scan, read, delimiter);
  };
}

function items(scan: Scan, read: ReadText, delimiter: string): readonly Cell[] {
  const list: Cell[] = [];
  expect(scan, '{');
  while (scan.text[scan.at] !== '}') {
    if (list.length > 0) expect(scan, delimiter);
    list.push(item(scan, read, delimiter));
  }
  scan.at += 1;
  return list;
}

function item(scan: Scan, read: ReadText, delimiter: string): Cell {
  const first = scan.text[scan.at];
  if (first === '{') return items(scan, read, delimiter);
  if (first === '"') return read(quoted(scan));
  const text = bare(scan, `${delimiter}}`);
  return text === 'NULL' ? null : read(text);
}

export interface Attribute {
  readonly name: string;
  readonly read: ReadText;
}

/** Returns a reader of `(1,"a ""b""",)`: nothing between two commas is NULL. */
export function compositeReader(attributes: readonly Attribute[]): (text: string) => NestedCell {
  return (text) => {
    const scan = { text, at: 0 };
    expect(scan, '(');
    const entries = attributes.map(({ name, read }, index): readonly [Cell, Cell] => {
      if (index > 0) expect(scan, ',');
      const next = scan.text[scan.at];
      if (next === ',' || next === ')') return [name, null];
      return [name, read(field(scan))];
    });
    expect(scan, ')');
    return { entries };
  };
}

/** Reads one field, in which quoted and unquoted parts may follow each other. */
function field(scan: Scan): string {
  let text = '';
  while (scan.at < scan.text.length && scan.text[scan.at] !== ',' && scan.text[scan.at] !== ')') {
    text += scan.text[scan.at] === '"' ? quoted(scan) : bare(scan, ',)"');
  }
  return text;
}

/** Reads a quoted part; a quote inside is doubled or follows a backslash. */
function quoted(scan: Scan): string {
  const { text } = scan;
  let value = '';
  for (let at = scan.at + 1; at < text.length; at += 1) {
    const next = text[at] ?? '';
    if (next === '"' && text[at + 1] !== '"') {
      scan.at = at + 1;
      return value;
    }
    if (next === '"' || next === '\\') at += 1;
    value += text[at] ?? '';
  }
  throw broken(text);
}

function bare(scan: Scan, ends: string): string {
  const { text } = scan;
  let value = '';
  for (; scan.at < text.length && !ends.includes(text[scan.at] ?? ''); scan.at += 1) {
    if (text[scan.at] === '\\') scan.at += 1;
    value += text[scan.at] ?? '';
  }
  return value;
}

function expect(scan: Scan, character: string): void {
  if (scan.text[scan.at] !== character) throw broken(scan.text);
  scan.at += 1;
}

function broken(text: string): AppError {
  const start = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new AppError('WAREHOUSE_DATA', `The warehouse returned an array or row that cannot be read: ${start}`);
}
