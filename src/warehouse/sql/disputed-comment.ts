// Finds comments that the product may begin or end elsewhere than the parser does. Such a comment hides code from the checks.
import type { Token } from './parser.ts';

export interface Dispute {
  readonly message: string;
  readonly offset: number;
}

/** Returns the first comment that the product may read differently. Only white space and comments stand between two tokens. */
export function findDisputedComment(sql: string, tokens: readonly Token[], grammar: string): Dispute | undefined {
  let from = 0;
  for (const { type, start, end } of [...tokens, { type: 'END', start: sql.length, end: sql.length }]) {
    if (type === 'HINT' && sql.slice(start + 2, end).includes('/*')) return { message: NESTED, offset: start };
    const found = disputeBetween(sql, { from, to: start }, grammar);
    if (found !== undefined) return found;
    from = end;
  }
  return undefined;
}

const GLUED =
  'A comment directly after an operator is not allowed, because products parse it differently; put a space before it.';
const NESTED =
  'A nested comment is not allowed here, because products end it at different places; remove the inner /*.';
const RETURN =
  'A carriage return within a comment is not allowed, because products parse it differently; end lines with a line feed.';
const CONTINUED =
  'A backslash at the end of a comment is not allowed, because Databricks reads the next line as a comment too; remove it.';

/**
 * Matches each comment up to its first possible end, so that the next match begins where a comment may begin in any reading.
 */
const COMMENTS = /(?:--|#|\/\/)[^\n]*|\/\*(?:(?!\*\/)[\s\S])*/g;

function disputeBetween(
  sql: string,
  { from, to }: { readonly from: number; readonly to: number },
  grammar: string,
): Dispute | undefined {
  // the parser reads `#--` as two operators, PostgreSQL as one and a comment
  if (from === to && /^(?:--|\/\*)$/.test(sql.slice(from - 1, from + 1))) return { message: GLUED, offset: from - 1 };
  for (const { 0: comment, index } of sql.slice(from, to).matchAll(COMMENTS)) {
    const message = disputeIn(comment, grammar);
    if (message !== undefined) return { message, offset: from + index };
  }
  return undefined;
}

function disputeIn(comment: string, grammar: string): string | undefined {
  if (comment.startsWith('/*')) {
    // the parser nests comments, BigQuery never does, and Databricks nests all but hints
    const inner = { bigquery: '/*', databricks: '/*+' }[grammar];
    return inner !== undefined && comment.includes(inner, 2) ? NESTED : undefined;
  }
  if (/\r[\s\S]/.test(comment)) return RETURN;
  return grammar === 'databricks' && /\\\r?$/.test(comment) ? CONTINUED : undefined;
}
