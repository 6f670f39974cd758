// The only file that imports the SQL parser. The parser is loaded at its first use: 150 ms, and 60 to 110 MB of memory.
import type * as Polyglot from '@polyglot-sql/sdk';
import { blankTimeTravel } from './time-travel.ts';

/** Grammars of the parser in which a model may be written, one for each product. */
export const GRAMMARS = ['duckdb', 'snowflake', 'bigquery', 'postgresql', 'redshift', 'databricks'] as const;

export interface Token {
  /** Name of the token's kind in the tokenizer: `SELECT`, `VAR`, `STRING`, `QUOTED_IDENTIFIER`, `SEMICOLON` … */
  readonly type: string;
  readonly text: string;
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/**
 * The parser's verdict on a text. `syntax`: the grammar does not know it. `undecided`: the parser gave up (nesting, size),
 * which says nothing about the text.
 */
export type Parsed =
  | { readonly outcome: 'parsed'; readonly statements: readonly unknown[] }
  | { readonly outcome: 'syntax'; readonly message: string; readonly offset: number }
  | { readonly outcome: 'undecided'; readonly reason: string };

export interface SqlParser {
  parse(sql: string, grammar: string): Parsed;
  /** Returns the tokens. Returns undefined where the text has none in that grammar, such as for a quote that is not closed. */
  tokens(sql: string, grammar: string): readonly Token[] | undefined;
}

/** The package's answer. Its own declarations name some of these fields differently. */
interface RawAnswer {
  readonly success: boolean;
  readonly error?: string | null;
  readonly errorStart?: number;
  readonly ast?: unknown;
  readonly tokens?: readonly RawToken[];
}
interface RawToken {
  readonly token_type: string;
  readonly text: string;
  readonly span: { readonly start: number; readonly end: number };
}

let loading: Promise<SqlParser> | undefined;

export function loadParser(): Promise<SqlParser> {
  loading ??= import('@polyglot-sql/sdk').then(parserOf);
  return loading;
}

function parserOf(sdk: typeof Polyglot): SqlParser {
  const parser: SqlParser = {
    parse: (sql, grammar) => {
      const text = grammar === 'bigquery' ? blankTimeTravel(sql, parser.tokens(sql, grammar) ?? []) : sql;
      const answer = ask(() => sdk.parse(text, grammar as Polyglot.Dialect));
      if (answer.success && Array.isArray(answer.ast)) return { outcome: 'parsed', statements: answer.ast };
      const message = answer.error ?? 'the parser gave no answer';
      if (gaveUp(message)) return { outcome: 'undecided', reason: message };
      return { outcome: 'syntax', message: withoutPlace(message), offset: utf16(text)(answer.errorStart ?? 0) };
    },
    tokens: (sql, grammar) => {
      const answer = ask(() => sdk.tokenize(sql, grammar as Polyglot.Dialect));
      if (!answer.success || answer.tokens === undefined) return undefined;
      const offset = utf16(sql);
      return answer.tokens.map(({ token_type, text, span }) => {
        return { type: token_type, text, start: offset(span.start), end: offset(span.end) };
      });
    },
  };
  return parser;
}

/**
 * Calls the parser, and turns a panic inside WebAssembly into an answer. Guards (depth, size) answer by themselves.
 * Neither is a verdict on the text.
 */
function ask(call: () => unknown): RawAnswer {
  try {
    return call() as RawAnswer;
  } catch (thrown) {
    return { success: false, error: `WASM parse failed: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

function gaveUp(message: string): boolean {
  return message.includes('E_GUARD_') || message.startsWith('WASM ');
}

/**
 * Removes the place, which callers add themselves: `Parse error at line 1, column 15: Unexpected token: Where` → `Unexpected
 * token: Where`.
 */
function withoutPlace(message: string): string {
  const colon = message.indexOf(': ');
  return /^(?:Parse|Tokenization) error at/.test(message) && colon > 0 ? message.slice(colon + 2) : message;
}

/** Maps offsets in code points, which the parser counts, to UTF-16 units. They differ after the first astral character. */
function utf16(sql: string): (codePoint: number) => number {
  let offsets: number[] | undefined;
  return (codePoint) => {
    offsets ??= codePointOffsets(sql);
    return offsets[codePoint] ?? sql.length;
  };
}

function codePointOffsets(sql: string): number[] {
  const offsets: number[] = [];
  for (let at = 0; at < sql.length; at += (sql.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) offsets.push(at);
  return offsets;
}
