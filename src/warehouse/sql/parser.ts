// The only file that imports the SQL parser. The parser is loaded at its first use: 150 ms, and 60 to 110 MB of memory.
import type * as Polyglot from '@polyglot-sql/sdk';
import type { Place } from './plain/edits.ts';
import { plainSql } from './plain/plain-sql.ts';

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
      const tokens = parser.tokens(sql, grammar) ?? [];
      const plain = plainSql(sql, tokens, grammar);
      if (plain === undefined) return { outcome: 'undecided', reason: 'Pipe queries are nested too deeply.' };
      const { text, originalPlace } = plain;
      const answer = ask(() => sdk.parse(text, grammar as Polyglot.Dialect));
      if (answer.success && Array.isArray(answer.ast)) return { outcome: 'parsed', statements: answer.ast };
      const message = answer.error ?? 'the parser gave no answer';
      if (gaveUp(message)) return { outcome: 'undecided', reason: message };
      const place = originalPlace(utf16(text)(answer.errorStart ?? 0));
      return { outcome: 'syntax', message: syntaxMessage(withoutPlace(message), place, tokens), offset: place.offset };
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

/** Tells whether the parser gave up. Only the beginning counts, because the rest of the message may quote the text. */
function gaveUp(message: string): boolean {
  return withoutPlace(message).startsWith('E_GUARD_') || message.startsWith('WASM ');
}

/**
 * Removes the place, which callers add themselves, and the quoted part of the text: `Parse error at line 1, column 15: Expected
 * RParen, got Where ('where') near [a where]` → `Expected RParen, got Where ('where')`.
 */
function withoutPlace(message: string): string {
  const colon = message.indexOf(': ');
  const said = /^(?:Parse|Tokenization) error at/.test(message) && colon > 0 ? message.slice(colon + 2) : message;
  const quoted = said.indexOf(' near [');
  return quoted > 0 ? said.slice(0, quoted) : said;
}

const LONGEST_QUOTED = 40;

/** Names the word that the parser complains of where its own message does not, or names one that is not in the text. */
function syntaxMessage(message: string, { offset, isInserted }: Place, tokens: readonly Token[]): string {
  if (isInserted) return 'the query ends too early.';
  if (!message.startsWith('Invalid expression')) return message;
  const found = tokens.find(({ start }) => start === offset)?.text;
  return found === undefined ? message : `"${found.slice(0, LONGEST_QUOTED)}" is not expected here.`;
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
