import Table from 'cli-table3';
import { stringifyJson } from '../kernel/index.ts';

type Row = Readonly<Record<string, unknown>>;

/** Output of a command: answers to `out`, progress and errors to `err`, so that answers can be piped. */
export interface Output {
  readonly json: boolean;
  /** Writes one line for a person. */
  line(text: string): void;
  /** Writes a table for a person, or with `--json` the same rows as JSON. */
  rows(columns: readonly string[], rows: readonly object[]): void;
  /** Writes one object: a two-column table for a person, JSON for a program. */
  object(value: Row): void;
  /** Writes a remark or a warning, which is never part of the answer. */
  note(text: string): void;
  /** Shows progress that replaces itself on a terminal and stays silent elsewhere. An empty text clears it. */
  progress(text: string): void;
}

export interface OutputStreams {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly json: boolean;
}

const CLEAR_LINE = '\r\u001b[2K';
const EDGES = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((edge) => [
  edge,
  `${edge}-mid`,
  `${edge}-left`,
  `${edge}-right`,
]);
// A table without borders leaves the terminal's lines to data, and copies of it paste well.
const STYLE = {
  chars: { ...Object.fromEntries(EDGES.map((edge) => [edge, ''])), middle: '  ' },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
};

export function createOutput({ out, err, json }: OutputStreams): Output {
  const write = (text: string) => void out.write(`${printable(text)}\n`);
  const writeJson = (value: unknown) => void out.write(`${stringifyJson(value)}\n`);
  return {
    json,
    line: write,
    rows(columns, rows) {
      if (json) writeJson(rows);
      else if (rows.length === 0) err.write('Nothing to show.\n');
      else
        write(
          render(
            [...columns],
            rows.map((row) => cellTexts(row as Row, columns)),
          ),
        );
    },
    object(value) {
      if (json) writeJson(value);
      else
        write(
          render(
            undefined,
            Object.entries(value).map(([name, item]) => [name, cellText(item)]),
          ),
        );
    },
    note: (text) => void err.write(`${printable(text)}\n`),
    progress(text) {
      if (err.isTTY === true && !json) err.write(`${CLEAR_LINE}${text}`);
    },
  };
}

/** Replaces control characters: names and messages come from others, and the terminal would obey a control character. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
}

function render(head: string[] | undefined, rows: readonly string[][]): string {
  const table = new Table(head === undefined ? STYLE : { ...STYLE, head });
  table.push(...rows);
  return table.toString().replace(/(?<![^\S\n])[^\S\n]+$/gm, '');
}

const cellTexts = (row: Row, columns: readonly string[]) => columns.map((column) => cellText(row[column]));

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value) && value.length === 0) return '-';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return stringifyJson(value);
  return printable(String(value));
}
