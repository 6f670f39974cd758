// Cuts parts out of a JSON text that was parsed before. Batches keep the sender's own digits, so no value is written anew.

/** Returns the items of a JSON list, each as its own text. */
export function itemTexts(text: string): readonly string[] {
  const items: string[] = [];
  for (let at = skipSpace(text, text.indexOf('[') + 1); text[at] !== ']'; ) {
    const end = endOfValue(text, at);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return items;
}

/** Returns a JSON object without the named fields. */
export function withoutFields(text: string, names: readonly string[]): string {
  const kept: string[] = [];
  for (const { name, start, end } of fieldsIn(text)) if (!names.includes(name)) kept.push(text.slice(start, end));
  return `{${kept.join(',')}}`;
}

/** Returns the values of a field of a JSON object, which may have the field several times. */
export function fieldTexts(text: string, name: string): readonly string[] {
  return [...fieldsIn(text)]
    .filter((field) => field.name === name)
    .map(({ valueStart, end }) => text.slice(valueStart, end));
}

interface FieldPlace {
  readonly name: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

function* fieldsIn(text: string): Generator<FieldPlace, void, undefined> {
  for (let start = skipSpace(text, text.indexOf('{') + 1); text[start] !== '}'; ) {
    const nameEnd = endOfText(text, start);
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    yield { name: String(JSON.parse(text.slice(start, nameEnd))), start, valueStart, end };
    start = skipSpace(text, end);
    if (text[start] === ',') start = skipSpace(text, start + 1);
  }
}

const LINE_BREAK = /[\n\r]/;
const TEXT_OR_SPACE = /("(?:[^"\\]|\\.)*"?)|\s+/g;

/** Returns a JSON text on one line. Line breaks only occur between its parts, never inside a string. */
export function onOneLine(text: string): string {
  return LINE_BREAK.test(text) ? text.replace(TEXT_OR_SPACE, '$1') : text;
}

const QUOTE = 34;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const AFTER_SINGLE = /[\s,\]}]/g;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfText(text, start);
  if (OPEN.has(first)) return endOfContainer(text, start);
  AFTER_SINGLE.lastIndex = start;
  return AFTER_SINGLE.exec(text)?.index ?? text.length;
}

function endOfContainer(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at) - 1;
    else if (OPEN.has(code)) depth++;
    else if (CLOSE.has(code) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Returns the index behind the string that opens at `quote`. */
function endOfText(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}
