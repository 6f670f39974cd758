// Attributes are kept as the JSON text of one flat object and merged as text: a value is never parsed, so it keeps every
// digit, and most merges cost a few comparisons. The object's own layer is always ours: no white space, keys as
// JSON.stringify writes them. Values may be any JSON.

/** Texts that depend only on the names of a chunk's columns, computed once. */
export interface Columns {
  /** `"name":` as it stands in the object. */
  readonly keys: readonly string[];
  /** `,"name":`. */
  readonly nextKeys: readonly string[];
}

const columnsOf = new WeakMap<readonly string[], Columns>();

export function columnsFor(names: readonly string[]): Columns {
  let columns = columnsOf.get(names);
  if (columns === undefined) {
    const keys = names.map(keyText);
    columns = { keys, nextKeys: keys.map((key) => `,${key}`) };
    columnsOf.set(names, columns);
  }
  return columns;
}

export function keyText(name: string): string {
  return `${JSON.stringify(name)}:`;
}

/** Returns the name of a key text. */
export function nameOfKey(key: string): string {
  return JSON.parse(key.slice(0, -1)) as string;
}

/**
 * Returns the row's attributes that have a value, as the text of an object. The parts are joined: a string built by appending
 * stays in pieces, which costs more than it saves when it is written.
 */
export function objectText({ keys, nextKeys }: Columns, texts: readonly (string | null | undefined)[]): string {
  const parts: string[] = [];
  for (let i = 0; i < keys.length; i++) {
    const value = texts[i];
    if (value === null || value === undefined) continue;
    parts.push(parts.length === 0 ? `{${keys[i]}` : (nextKeys[i] as string), value);
  }
  if (parts.length === 0) return '{}';
  parts.push('}');
  return parts.join('');
}

/** Reads key text → value text, in order, into a Map, because a name may be `__proto__`. */
export function readObjectText(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  let at = 1;
  while (at < text.length - 1) {
    const valueAt = endOfString(text, at) + 1;
    const end = endOfValue(text, valueAt);
    entries.set(text.slice(at, valueAt), text.slice(valueAt, end));
    at = end + 1;
  }
  return entries;
}

export function writeObjectText(entries: Iterable<readonly [string, string]>): string {
  let text = '';
  for (const [key, value] of entries) text += (text === '' ? '{' : ',') + key + value;
  return text === '' ? '{}' : `${text}}`;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns the end of the value that begins at `at`: the position of the `,` or `}` behind it. */
export function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at);
  if (first === OPEN_BRACKET || first === OPEN_BRACE) return endOfNested(text, at);
  let end = at;
  while (end < text.length && !isEnd(text, end)) end++;
  return end;
}

/** Tells whether a complete value may end before `at`: behind the 1 of 12 it may not. */
export function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === COMMA || code === CLOSE_BRACE;
}

/** Returns the position behind the closing quote of the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === OPEN_BRACKET || code === OPEN_BRACE) depth++;
    if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
    at++;
    if (depth === 0) break;
  }
  return at;
}
