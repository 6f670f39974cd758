import type { Issue } from './errors.ts';
import { fieldPath } from './field-path.ts';
import { isRawNumber, type Json } from './json.ts';

// Both can only come into JSON as an escape: the raw character is refused by the parser or by UTF-8.
const MAY_BE_UNSTORABLE = /\\u(?:0000|d[89a-f])/i;
const MOST_ISSUES = 50;

/**
 * Finds text that PostgreSQL cannot store: U+0000 and lone surrogates, in values and in field names (D-009). With the
 * JSON `source`, an ordinary body costs one scan for its escapes.
 */
export function unstorableText(value: Json, source?: string): readonly Issue[] {
  if (source !== undefined && !MAY_BE_UNSTORABLE.test(source)) return [];
  const issues: Issue[] = [];
  visit(value, '', issues);
  return issues;
}

function visit(value: Json, path: string, issues: Issue[]): void {
  if (issues.length >= MOST_ISSUES) return;
  if (typeof value === 'string') {
    const problem = problemOf(value);
    if (problem !== undefined) issues.push({ path, message: `contains ${problem}, which cannot be stored; remove it` });
  } else if (Array.isArray(value)) {
    value.forEach((item: Json, index) => {
      visit(item, fieldPath(path, index), issues);
    });
  } else if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    for (const [name, item] of Object.entries(value)) visitField({ name, item, path }, issues);
  }
}

function visitField(field: { name: string; item: Json; path: string }, issues: Issue[]): void {
  const path = fieldPath(field.path, field.name);
  const problem = problemOf(field.name);
  if (problem === undefined) visit(field.item, path, issues);
  else issues.push({ path, message: `has a name with ${problem}, which cannot be stored; rename it` });
}

function problemOf(text: string): string | undefined {
  if (text.includes('\0')) return 'the character U+0000';
  return text.isWellFormed() ? undefined : 'half of a surrogate pair';
}
