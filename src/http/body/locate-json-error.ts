// The place where a text stops being JSON. JSON.parse names a position for some mistakes only, and quotes the body for others.
// So the place is found here, after JSON.parse has failed.

export interface JsonError {
  /** Number of characters before the mistake. */
  readonly position: number;
  readonly line: number;
  readonly column: number;
  /** Tokens that would be valid at this place. */
  readonly expected: string;
}

type State = 'value' | 'itemOrEnd' | 'keyOrEnd' | 'key' | 'colon' | 'next';

interface Scan {
  readonly text: string;
  readonly open: ('{' | '[')[];
  position: number;
  state: State;
  expected: string | undefined;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a text
const TEXT_PART = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const EXPECTED: Readonly<Record<State, string>> = {
  value: 'a value',
  itemOrEnd: 'a value or "]"',
  keyOrEnd: 'a field name in double quotes or "}"',
  key: 'a field name in double quotes',
  colon: '":"',
  next: 'the end',
};

/** Returns the first place where `text` cannot be JSON any more; where something is missing at the end, that is its end. */
export function locateJsonError(text: string): JsonError {
  const scan: Scan = { text, open: [], position: 0, state: 'value', expected: undefined };
  do skip(scan, SPACE);
  while (scan.position < text.length && STEPS[scan.state](scan, text[scan.position] ?? ''));
  const before = text.slice(0, scan.position).split('\n');
  return {
    position: scan.position,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    expected: scan.expected ?? whatNext(scan),
  };
}

function whatNext({ state, open }: Scan): string {
  if (state !== 'next' || open.length === 0) return EXPECTED[state];
  return open.at(-1) === '{' ? '"," or "}"' : '"," or "]"';
}

/** Steps by state. Each takes one token and returns whether the token is valid there. */
const STEPS: Readonly<Record<State, (scan: Scan, character: string) => boolean>> = {
  value,
  itemOrEnd: (scan, character) => (character === ']' ? close(scan) : value(scan, character)),
  keyOrEnd: (scan, character) => (character === '}' ? close(scan) : key(scan, character)),
  key,
  colon: (scan, character) => character === ':' && move(scan, 'value'),
  next,
};

function value(scan: Scan, character: string): boolean {
  if (character === '{' || character === '[') {
    scan.open.push(character);
    return move(scan, character === '{' ? 'keyOrEnd' : 'itemOrEnd');
  }
  if (character === '"') return quoted(scan, 'next');
  if (!skip(scan, NUMBER) && !skip(scan, WORD)) return false;
  scan.state = 'next';
  return true;
}

function key(scan: Scan, character: string): boolean {
  return character === '"' && quoted(scan, 'colon');
}

function next(scan: Scan, character: string): boolean {
  const inside = scan.open.at(-1);
  if (inside === undefined) return false;
  if (character === ',') return move(scan, inside === '{' ? 'key' : 'value');
  return character === (inside === '{' ? '}' : ']') && close(scan);
}

function quoted(scan: Scan, then: State): boolean {
  scan.position += 1;
  while (skip(scan, TEXT_PART));
  if (scan.text[scan.position] === '"') return move(scan, then);
  scan.expected = 'the rest of a text, with line breaks and backslashes escaped, and its closing quote';
  return false;
}

function close(scan: Scan): boolean {
  scan.open.pop();
  return move(scan, 'next');
}

function move(scan: Scan, state: State): boolean {
  scan.position += 1;
  scan.state = state;
  return true;
}

function skip(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.position;
  const length = pattern.exec(scan.text)?.[0].length ?? 0;
  scan.position += length;
  return length > 0;
}
