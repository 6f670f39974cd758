// Puts two parsers side by side and names each text that one of them takes for a single SELECT and the other does not.
import { findRefused } from '../../../../src/warehouse/sql/find-refused.ts';
import type { SqlParser } from '../../../../src/warehouse/sql/parser.ts';
import { plainSql } from '../../../../src/warehouse/sql/plain/plain-sql.ts';
import { readAgain } from '../../../../src/warehouse/sql/second-opinion.ts';

/** Returns what the first parser sees by its tree alone. Returns undefined where it cannot read the text. */
function firstReading(parser: SqlParser, sql: string, grammar: string): string | undefined {
  const parsed = parser.parse(sql, grammar);
  if (parsed.outcome !== 'parsed') return undefined;
  if (parsed.statements.length !== 1) return `${parsed.statements.length} statements`;
  return findRefused(parsed.statements[0], parser.tokens(sql, grammar) ?? [])?.construct ?? 'SELECT';
}

/** Returns a line for a text that both parsers can read and only one takes for a single SELECT. */
export function disagreement(parser: SqlParser, sql: string, grammar: string): string | undefined {
  const first = firstReading(parser, sql, grammar);
  if (first === undefined) return undefined;
  const plain = plainSql(sql, parser.tokens(sql, grammar) ?? [], grammar);
  const second = plain && readAgain(plain.text, grammar)?.join(' and ');
  if (second === undefined || (first === 'SELECT') === (second === 'SELECT')) return undefined;
  return `${grammar} | first: ${first} | second: ${second} | ${JSON.stringify(sql)}`;
}
