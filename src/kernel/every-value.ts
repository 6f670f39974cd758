// JSON.parse keeps the last of several fields of one name. A search of a text needs all of them. Not recursive: the text's
// author chose how deep it is.
import { itemAt } from './item-at.ts';
import { type Json, parseJson } from './json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON text as `parseJson` does; a field that its object has more than once holds the list of all its values. Throws
 * SyntaxError as `parseJson` does.
 */
export function parseEveryValue(text: string): Json {
  const last = parseJson(text);
  if (typeof last !== 'object' || last === null) return last;
  const root: OpenList = { items: [] };
  const open: Open[] = [root];
  for (const token of tokensOf(text)) read(open, token);
  return itemAt(root.items, 0);
}

/** Splits JSON that is valid. No expression matches a whole string: it needs stack for each escape. */
function* tokensOf(text: string): Generator<string> {
  const start = /[{}[\],:"]|[^\s{}[\],:"]+/g;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    if (found[0] === '"') {
      start.lastIndex = endOfString(text, found.index);
      yield text.slice(found.index, start.lastIndex);
    } else yield found[0];
  }
}

/** Returns the index behind the closing quote. */
function endOfString(text: string, opened: number): number {
  let at = opened + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

interface OpenList {
  readonly items: Json[];
}

interface OpenObject {
  /** All values of each field. */
  readonly fields: Map<string, Json[]>;
  /** Field whose value comes next; undefined where a name comes next. */
  name: string | undefined;
}

type Open = OpenList | OpenObject;

function read(open: Open[], token: string): void {
  const innermost = itemAt(open, open.length - 1);
  if (token === '{') open.push({ fields: new Map(), name: undefined });
  else if (token === '[') open.push({ items: [] });
  else if (token === '}' || token === ']') {
    open.pop();
    put(itemAt(open, open.length - 1), closedValue(innermost));
  } else if (token !== ',' && token !== ':') putText(innermost, token);
}

function putText(open: Open, token: string): void {
  if ('fields' in open && open.name === undefined) open.name = String(JSON.parse(token));
  else put(open, parseJson(token));
}

function put(open: Open, value: Json): void {
  if ('items' in open) open.items.push(value);
  else {
    const { fields, name = '' } = open;
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
    open.name = undefined;
  }
}

function closedValue(open: Open): Json {
  if ('items' in open) return open.items;
  return Object.fromEntries(
    Array.from(open.fields, ([name, values]) => [name, values.length === 1 ? itemAt(values, 0) : values]),
  );
}
