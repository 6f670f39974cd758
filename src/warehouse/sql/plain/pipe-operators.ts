import type { Token } from '../parser.ts';
import type { Edit } from './edits.ts';
import { outermost, wordsAt } from './token-lists.ts';

/** A pipe operator, written as a query. */
export interface PipeStep {
  /** Text before the operator's own. */
  readonly head: string;
  readonly edits: readonly Edit[];
  /** Text after the operator's own. */
  readonly tail: string;
  /** First word of the operator. */
  readonly kind: string;
  /** Kind of the operator that this one continues if it stands directly before. */
  readonly extends?: string;
}

/** Writes an operator, given as its tokens, as a query of the table named `input`. */
type Operator = (tokens: readonly Token[], input: string) => PipeStep;

/** Operators that are clauses of a query: `|> WHERE a` reads `SELECT * FROM input WHERE a`. */
const clause: Operator = (tokens, input) => {
  const kind = wordsAt(tokens, 1);
  const isCut = kind === 'LIMIT' || kind === 'OFFSET';
  return { head: `SELECT * FROM ${input}`, edits: [], tail: '', kind, ...(isCut ? { extends: 'ORDER' } : {}) };
};

/** Operators with a list of expressions: `|> EXTEND a + 1 AS b` reads `SELECT a + 1 AS b FROM input`. */
const list: Operator = (tokens, input) => {
  return { head: '', edits: replaceFirst(tokens, 'SELECT'), tail: ` FROM ${input}`, kind: wordsAt(tokens, 1) };
};

/** Operators whose first word is replaced, for example `|> CALL f(1)` by `SELECT * FROM f(1)`. */
const replaced =
  (text: (input: string) => string): Operator =>
  (tokens, input) => ({ head: '', edits: replaceFirst(tokens, text(input)), tail: '', kind: wordsAt(tokens, 1) });

const OPERATORS: Readonly<Record<string, Operator>> = {
  SELECT: list,
  EXTEND: list,
  WINDOW: list,
  SET: list,
  RENAME: list,
  DROP: list,
  AS: replaced((input) => `SELECT * FROM ${input} AS`),
  DISTINCT: replaced((input) => `SELECT DISTINCT * FROM ${input}`),
  CALL: replaced(() => 'SELECT * FROM'),
  AGGREGATE: aggregate,
  WITH: (_, input) => ({ head: '', edits: [], tail: ` SELECT * FROM ${input}`, kind: 'WITH' }),
  WHERE: clause,
  LIMIT: clause,
  OFFSET: clause,
  TABLESAMPLE: clause,
  PIVOT: clause,
  UNPIVOT: clause,
  MATCH_RECOGNIZE: clause,
  'ORDER BY': clause,
};

/** Words that may stand before JOIN, UNION, INTERSECT and EXCEPT. */
const SIDES: ReadonlySet<string> = new Set([
  ...['INNER', 'LEFT', 'RIGHT', 'FULL', 'OUTER', 'CROSS', 'NATURAL', 'SEMI', 'ANTI'],
]);
const SET_OPERATORS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
const SET_WORDS: ReadonlySet<string> = new Set(['ALL', 'DISTINCT', 'BY', 'NAME', 'CORRESPONDING', 'STRICT']);

/** Returns the operator that begins with the first of `tokens`. Returns undefined for one that is unknown or writes. */
export function operatorOf(tokens: readonly Token[]): Operator | undefined {
  // a name in quotes is no keyword
  if (tokens[0]?.type === 'QUOTED_IDENTIFIER') return undefined;
  const [word, words] = [wordsAt(tokens, 1), wordsAt(tokens, 2)];
  if (Object.hasOwn(OPERATORS, words)) return OPERATORS[words];
  if (word === 'DROP' && isStatement(tokens)) return undefined;
  if (Object.hasOwn(OPERATORS, word)) return OPERATORS[word];
  const main = tokens.find(({ text }) => !SIDES.has(text.toUpperCase()))?.text.toUpperCase() ?? '';
  if (main === 'JOIN') return clause;
  return SET_OPERATORS.has(main) ? setOperator : undefined;
}

/** Tells whether two words follow DROP, as in a statement: `DROP TABLE t`. The operator's names have commas between them. */
function isStatement([, first, second]: readonly Token[]): boolean {
  return first !== undefined && second !== undefined && !['COMMA', 'DOT', 'PIPE_GT', 'R_PAREN'].includes(second.type);
}

/** Writes `|> UNION ALL (q1), (q2)` as `SELECT * FROM (q1), (q2)`, and `|> UNION ALL SELECT …` after a query of the input. */
function setOperator(tokens: readonly Token[], input: string): PipeStep {
  const kind = 'UNION';
  const open = tokens.findIndex(({ text }) => {
    const word = text.toUpperCase();
    return !SIDES.has(word) && !SET_OPERATORS.has(word) && !SET_WORDS.has(word);
  });
  const [first, next] = [tokens[0], tokens[open]];
  if (first === undefined || next?.type !== 'L_PAREN')
    return { head: `SELECT * FROM ${input}`, edits: [], tail: '', kind };
  return { head: '', edits: [{ start: first.start, end: next.start, text: 'SELECT * FROM ' }], tail: '', kind };
}

/**
 * Writes `|> AGGREGATE count(*) AS n DESC GROUP AND ORDER BY a AS b` as `SELECT count(*) AS n, a AS b FROM input`. The parser
 * knows no aliases and no directions in GROUP BY.
 */
function aggregate(tokens: readonly Token[], input: string): PipeStep {
  const own = outermost(tokens);
  const group = own.findIndex(({ text }) => text.toUpperCase() === 'GROUP');
  const by = own.findIndex(({ text }, at) => at > group && text.toUpperCase() === 'BY');
  const [from, to] = [own[group], own[by]];
  const isFirst = group === 1 || own[group - 1]?.type === 'COMMA';
  const comma =
    from === undefined || to === undefined ? [] : [{ start: from.start, end: to.end, text: isFirst ? ' ' : ', ' }];
  return {
    head: '',
    edits: [...replaceFirst(tokens, 'SELECT'), ...directionEdits(own), ...setsEdits(own), ...comma],
    tail: ` FROM ${input}`,
    kind: 'AGGREGATE',
  };
}

/** Removes `ASC`, `DESC` and the `NULLS FIRST` or `NULLS LAST` behind them. */
function directionEdits(tokens: readonly Token[]): readonly Edit[] {
  return tokens.flatMap(({ type, text, start, end }, index) => {
    if (type === 'QUOTED_IDENTIFIER' || !/^(?:asc|desc)$/i.test(text)) return [];
    const nulls = wordsAt(tokens.slice(index + 1), 2);
    const last = nulls === 'NULLS FIRST' || nulls === 'NULLS LAST' ? tokens[index + 2] : undefined;
    return [{ start, end: last?.end ?? end, text: '' }];
  });
}

/** Removes the words before the lists of `GROUPING SETS ((a), (b))`. */
function setsEdits(tokens: readonly Token[]): readonly Edit[] {
  return tokens.flatMap(({ start }, index) => {
    const sets = tokens[index + 1];
    return wordsAt(tokens.slice(index), 2) === 'GROUPING SETS' ? [{ start, end: sets?.end ?? start, text: '' }] : [];
  });
}

function replaceFirst([first]: readonly Token[], text: string): readonly Edit[] {
  return first === undefined ? [] : [{ start: first.start, end: first.end, text }];
}
