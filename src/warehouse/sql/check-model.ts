// The SQL gate: is a model exactly one SELECT that only reads? Models are parsed, never matched by patterns.
import { itemAt } from '../../kernel/index.ts';
import type { Dialect } from '../dialect.ts';
import { findDisputedComment } from './disputed-comment.ts';
import { findEffect } from './effects.ts';
import { findRefused, findWritingWord } from './find-refused.ts';
import { findUnstable } from './find-unstable.ts';
import { findMisspelt } from './misspelt.ts';
import { findOpenComment } from './open-comment.ts';
import { isClosed } from './parentheses.ts';
import { GRAMMARS, loadParser, type Parsed, type SqlParser, type Token } from './parser.ts';
import { findRefusedPipe } from './plain/pipes.ts';
import { plainSql } from './plain/plain-sql.ts';
import { timeTravelCalls } from './plain/time-travel.ts';
import { findDisputedString, readByRedshift } from './redshift-reading.ts';
import { readAgain } from './second-opinion.ts';

export interface SqlComplaint {
  /** Names the construct, says where it stands and what to do. */
  readonly message: string;
  /** `syntax`: the grammar does not know the text. `construct`: the grammar knows it, but models must not contain it. */
  readonly kind: 'syntax' | 'construct';
  /** Both from 1; the column counts UTF-16 units. */
  readonly line: number;
  readonly column: number;
  /** The readings of both parsers, where the second one disagrees with the first. */
  readonly readings?: { readonly first: string; readonly second: string };
}

/**
 * The result of the gate.
 * - `accepted`: `sql` is the model from its first to its last word, without the comments around it and without the semicolon,
 *   so that it can stand inside parentheses.
 * - `undecided`: the parser gave up, which says nothing about the model. The warehouse decides: it describes the model before
 *   each run. `sql` is cut the same way.
 */
export type ModelCheck =
  | { readonly outcome: 'accepted'; readonly sql: string; readonly warnings: readonly string[] }
  | { readonly outcome: 'undecided'; readonly sql: string; readonly reason: string }
  | { readonly outcome: 'refused'; readonly complaint: SqlComplaint };

/** Checks a model by one product's grammar: when a pipeline joins the model to a connection, and before each run. */
export async function checkModel(sql: string, dialect: Pick<Dialect, 'grammar'>): Promise<ModelCheck> {
  return checkByGrammar(await loadParser(), sql, dialect.grammar);
}

/**
 * Checks a model that has no connection yet: it passes if any grammar accepts it as one SELECT.
 * Otherwise the complaint names a construct if any grammar knows it, else the furthest place that a grammar reached.
 */
export async function acceptsSomeGrammar(sql: string): Promise<ModelCheck> {
  const parser = await loadParser();
  const checks: ModelCheck[] = [];
  for (const grammar of GRAMMARS) {
    const check = checkByGrammar(parser, sql, grammar);
    if (check.outcome === 'accepted') return check;
    checks.push(check);
  }
  return checks.reduce((best, check) => (insight(check) > insight(best) ? check : best));
}

/** Returns how much a check that did not accept says about the text; higher is more. */
function insight(check: ModelCheck): number {
  if (check.outcome !== 'refused') return Number.POSITIVE_INFINITY;
  const { kind, line, column } = check.complaint;
  return kind === 'construct' ? Number.MAX_SAFE_INTEGER : line * 1e6 + column;
}

const EMPTY = 'The model is empty; write a single SELECT.';

/** Checks a model as `checkModel` does, with a parser that is loaded already. */
export function checkByGrammar(parser: SqlParser, sql: string, grammar: string): ModelCheck {
  const all = parser.tokens(sql, grammar);
  if (all === undefined) return syntaxError(parser, sql, grammar);
  const tokens = all.at(-1)?.type === 'SEMICOLON' ? all.slice(0, -1) : all;
  const open = findOpenComment(sql, all.at(-1)?.end ?? 0, grammar);
  if (open !== undefined) return misread(sql, open, 'the comment is not closed; close it with */.');
  const disputed = findDisputedComment(sql, all, grammar);
  if (disputed !== undefined) return refuse(sql, disputed.offset, disputed.message);
  const [first] = tokens;
  if (first === undefined) return refuse(sql, 0, EMPTY);
  const semicolon = tokens.find(({ type }) => type === 'SEMICOLON');
  if (semicolon !== undefined) {
    return refuse(
      sql,
      semicolon.start,
      'Several statements (a semicolon within the text) are not allowed; write a single SELECT.',
    );
  }
  const refused = refusedByRedshift(parser, { sql, tokens, grammar });
  if (refused !== undefined) return refused;
  const effect = findEffect(tokens, grammar);
  if (effect !== undefined) return refuse(sql, effect.offset, notAllowed(effect.construct));
  const pipe = findRefusedPipe(tokens, grammar);
  if (pipe !== undefined) return refuse(sql, pipe.offset, notAllowed(pipe.construct));
  const text = sql.slice(first.start, tokens.at(-1)?.end);
  const check = verdict({ sql, text, tokens, first, parsed: parser.parse(text, grammar) });
  if (check.outcome === 'refused') return check;
  return disputedBySecond({ sql, tokens, grammar }) ?? doubtInCalls(parser, { sql, text, tokens, grammar }) ?? check;
}

interface Reading {
  readonly sql: string;
  readonly tokens: readonly Token[];
  readonly grammar: string;
}

/** Refuses constructs that only Redshift finds in the text. A syntax error there is harmless. */
function refusedByRedshift(parser: SqlParser, { sql, tokens, grammar }: Reading): ModelCheck | undefined {
  const disputed = findDisputedString(sql, tokens, grammar);
  if (disputed === undefined) return undefined;
  if (/\/\*|\$/.test(sql)) return refuse(sql, disputed.start, BACKSLASH);
  const check = checkByGrammar(parser, readByRedshift(sql), grammar);
  return check.outcome === 'refused' && check.complaint.kind === 'construct' ? check : undefined;
}

/** Checks the calls of `FOR SYSTEM_TIME AS OF`, each as the query `SELECT f(…)`. Returns undefined where all are accepted. */
function doubtInCalls(
  parser: SqlParser,
  { sql, text, tokens, grammar }: Reading & Pick<Case, 'text'>,
): ModelCheck | undefined {
  for (const call of timeTravelCalls(tokens, grammar)) {
    const { start } = itemAt(call, 0);
    const select = { type: 'SELECT', text: 'SELECT', start: start - 'SELECT '.length, end: start };
    const parsed = parser.parse(`SELECT ${sql.slice(start, call.at(-1)?.end)}`, grammar);
    const check = verdict({ sql, text, tokens: [select, ...call], first: select, parsed });
    if (check.outcome !== 'accepted') return check;
    // the parser did not read its arguments
    const [inner] = timeTravelCalls(call.slice(1), grammar);
    if (inner !== undefined) return refuse(sql, itemAt(inner, 0).start, notAllowed('A query in FOR SYSTEM_TIME AS OF'));
  }
  return undefined;
}

/** Refuses a text in which the second parser sees anything but one SELECT. */
function disputedBySecond({ sql, tokens, grammar }: Reading): ModelCheck | undefined {
  const plain = plainSql(sql, tokens, grammar);
  const seen = plain && readAgain(plain.text, grammar);
  if (seen === undefined || (seen.length === 1 && seen[0] === 'SELECT')) return undefined;
  const second = seen.length === 0 ? 'no statement' : seen.join(' and ');
  const message =
    `Two parsers read this model differently: one sees a single SELECT, the other sees ${second}. Write it so that both see ` +
    'a single SELECT: leave out comments and unusual quotes, and rename what has the name of a statement.';
  const complaint = complain(sql, tokens[0]?.start ?? 0, { kind: 'construct', message });
  return { outcome: 'refused', complaint: { ...complaint, readings: { first: 'SELECT', second } } };
}

interface Case {
  readonly sql: string;
  /** The model without surrounding comments and semicolon. */
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly first: Token;
  readonly parsed: Parsed;
}

function verdict({ sql, text, tokens, first, parsed }: Case): ModelCheck {
  if (parsed.outcome === 'syntax') return unreadable({ sql, text, tokens, first, parsed });
  if (!isClosed(tokens)) return misread(sql, first.start, 'the parentheses do not match.');
  if (parsed.outcome === 'undecided') {
    const word = first.text.toUpperCase();
    if (!QUERY_WORDS.has(word)) return refuse(sql, first.start, notAllowed(word));
    const writing = findWritingWord(tokens);
    if (writing !== undefined) return refuse(sql, writing.offset, notAllowed(writing.construct));
    return { outcome: 'undecided', sql: text, reason: parsed.reason };
  }
  const [statement, second] = parsed.statements;
  if (second !== undefined)
    return refuse(sql, first.start, 'Several statements are not allowed; write a single SELECT.');
  const refusal = findRefused(statement, tokens);
  if (refusal !== undefined) return refuse(sql, refusal.offset, notAllowed(refusal.construct));
  return { outcome: 'accepted', sql: text, warnings: findUnstable(statement) };
}

type Unreadable = Omit<Case, 'parsed'> & { readonly parsed: Extract<Parsed, { readonly outcome: 'syntax' }> };

/** Complains of a syntax error at the word that caused it, which may stand before the one that the parser names. */
function unreadable({ sql, tokens, first, parsed }: Unreadable): ModelCheck {
  // the parser reads a misspelt SELECT as an alias, and complains of the second word after it
  if (first.type === 'VAR')
    return misread(sql, first.start, `a query cannot begin with ${first.text}; begin with SELECT or WITH.`);
  const offset = first.start + parsed.offset;
  const misspelt = findMisspelt(tokens, offset);
  if (misspelt === undefined) return misread(sql, offset, parsed.message);
  const { word, keyword } = misspelt;
  return misread(sql, misspelt.offset, `"${word}" is not expected here; write ${keyword} if you mean it.`);
}

const BACKSLASH =
  "A backslash before a quote is not allowed beside a comment /* */ or a $, because PostgreSQL and Redshift read it differently; write '' for a quote, and " +
  'chr(92) for a backslash at the end.';

/** Words with which a query can begin. */
const QUERY_WORDS: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'FROM', '(']);

const notAllowed = (construct: string): string =>
  `${construct} is not allowed; a model is a single SELECT that only reads.`;

function syntaxError(parser: SqlParser, sql: string, grammar: string): ModelCheck {
  const parsed = parser.parse(sql, grammar);
  if (parsed.outcome === 'syntax') return misread(sql, parsed.offset, parsed.message);
  return misread(sql, 0, 'a quote or comment is not closed.');
}

function refuse(sql: string, offset: number, message: string): ModelCheck {
  return { outcome: 'refused', complaint: complain(sql, offset, { kind: 'construct', message }) };
}

function misread(sql: string, offset: number, message: string): ModelCheck {
  const complaint = complain(sql, offset, { kind: 'syntax', message: `Syntax error: ${message}` });
  return { outcome: 'refused', complaint };
}

/** Returns a complaint whose message names the place `offset` (UTF-16 units) of the text. */
export function complain(sql: string, offset: number, what: Pick<SqlComplaint, 'kind' | 'message'>): SqlComplaint {
  const before = sql.slice(0, offset);
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  const message = `Line ${line}, column ${column}: ${what.message}`;
  return { ...what, message, line, column };
}
