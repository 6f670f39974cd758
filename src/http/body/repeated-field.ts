// Fields that one object has twice. JSON.parse keeps the last one and says nothing, so a value that the caller wrote first
// would be lost. The search costs an ordinary body about as much as parsing it.
import { fieldPath, type Issue, isRawNumber, type Json } from '../../kernel/index.ts';

// Refuses the field rather than keep its last value: the others were sent, too.
export const repetition = (path: string): Issue => ({ path, message: 'is given more than once; give it once' });

/**
 * Returns the path of the first field of `text` that its object already has, or undefined where there is none.
 * `text` is JSON, and `value` is its parsed form.
 */
export function repeatedField(text: string, value: Json): string | undefined {
  return repeatedAmong(text, measure(value));
}

/** Returns the same path for a value that was measured before. */
export function repeatedAmong(text: string, { fields }: Measure): string | undefined {
  return countFields(text) === fields ? undefined : findRepeated(text);
}

function countFields(text: string): number {
  let count = 0;
  for (let quote = text.indexOf('"'); quote >= 0; ) {
    const after = endOfText(text, quote);
    if (isField(text, after)) count += 1;
    quote = text.indexOf('"', after);
  }
  return count;
}

/** Returns the position after the text that opens at `quote`. */
function endOfText(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  // JSON closes its texts; for any other input, this ends the loop
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Tells whether the text that ended at `after` is the name of a field. */
function isField(text: string, after: number): boolean {
  let at = after;
  while (text.charCodeAt(at) <= 32) at += 1;
  return text[at] === ':';
}

export interface Measure {
  /** Number of fields of all objects in the value. */
  readonly fields: number;
  /** Depth of nested lists and objects; 0 for a text or a number. */
  readonly depth: number;
}

/** Measures a value. Uses no recursion, because the caller chose the depth. */
export function measure(value: Json): Measure {
  let fields = 0;
  let depth = 0;
  for (let level = containersAmong([value]); level.length > 0; depth += 1) {
    const below: Container[] = [];
    for (const container of level) {
      const children: readonly Json[] = Object.values(container);
      if (!Array.isArray(container)) fields += children.length;
      addContainers(children, below);
    }
    level = below;
  }
  return { fields, depth };
}

type Container = Readonly<Record<string, Json>> | readonly Json[];

function containersAmong(values: readonly Json[]): readonly Container[] {
  const found: Container[] = [];
  addContainers(values, found);
  return found;
}

function addContainers(values: readonly Json[], found: Container[]): void {
  for (const value of values) {
    if (typeof value === 'object' && value !== null && !isRawNumber(value)) found.push(value);
  }
}

interface Level {
  readonly path: string;
  /** Names of the object so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  /** The field, or the index in the list, that is being read. */
  step: string | number;
}

const TOKEN = /["{}[\],]/g;

function findRepeated(text: string): string | undefined {
  const levels: Level[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const level = levels.at(-1);
    if (match[0] !== '"') {
      move(levels, match[0]);
      continue;
    }
    const end = endOfText(text, match.index);
    TOKEN.lastIndex = end;
    if (level?.names === undefined || !isField(text, end)) continue;
    level.step = String(JSON.parse(text.slice(match.index, end)));
    if (level.names.has(level.step)) return fieldPath(level.path, level.step);
    level.names.add(level.step);
  }
  return undefined;
}

/** Opens a level, closes one, or goes on to the next item of a list. */
function move(levels: Level[], token: string): void {
  const level = levels.at(-1);
  if (token === '}' || token === ']') levels.pop();
  else if (token === ',') {
    if (typeof level?.step === 'number') level.step += 1;
  } else {
    const path = level === undefined ? '' : fieldPath(level.path, level.step);
    levels.push({ path, ...(token === '{' ? { names: new Set<string>(), step: '' } : { names: undefined, step: 0 }) });
  }
}
