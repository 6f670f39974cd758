// Pipe syntax of BigQuery and Databricks, `FROM t |> WHERE a > 1 |> SELECT b`, which the parser does not know. A pipe query is
// written for the parser as a chain of named queries, in the order of the text:
// `WITH p0 AS (SELECT * FROM t), p1 AS (SELECT * FROM p0 WHERE a > 1), p2 AS (SELECT b FROM p1) SELECT * FROM p2`.
// https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax
// https://docs.databricks.com/aws/en/sql/language-manual/sql-ref-syntax-qry-select-pipeop
import { itemAt } from '../../../kernel/index.ts';
import type { Refusal } from '../find-refused.ts';
import type { Token } from '../parser.ts';
import type { Edit } from './edits.ts';
import { operatorOf, type PipeStep } from './pipe-operators.ts';
import { outermost } from './token-lists.ts';

export const PIPE_GRAMMARS: ReadonlySet<string> = new Set(['bigquery', 'databricks']);

const PIPE = 'PIPE_GT';

/**
 * Returns the first pipe operator that is not known to only read. The rule is an allow-list, so an operator that a product adds
 * later is refused until it is listed.
 */
export function findRefusedPipe(tokens: readonly Token[], grammar: string): Refusal | undefined {
  if (!PIPE_GRAMMARS.has(grammar)) return undefined;
  for (const [index, { type, start }] of tokens.entries()) {
    const next = tokens[index + 1];
    if (type !== PIPE || operatorOf(tokens.slice(index + 1, index + 5)) !== undefined) continue;
    return {
      construct: `The pipe operator |> ${next?.text.toUpperCase() ?? ''}`.trimEnd(),
      offset: next?.start ?? start,
    };
  }
  return undefined;
}

/** Depth of parentheses, within which pipe queries are read. The parser gives up at less. */
const MAX_DEPTH = 64;

/** Returns the edits that write every pipe query of the text as a chain of named queries. Returns undefined if it is too deep. */
export function pipeEdits(tokens: readonly Token[]): readonly Edit[] | undefined {
  const edits: Edit[] = [];
  const open: number[][] = [[-1]];
  const close = (end: number) => {
    const [start = 0, ...pipes] = open.pop() ?? [];
    if (pipes.length > 0) edits.push(...chainEdits(tokens, [start, ...pipes, end]));
  };
  if (!tokens.some(({ type }) => type === PIPE)) return edits;
  for (const [index, { type }] of tokens.entries()) {
    if (type === PIPE) open.at(-1)?.push(index);
    if (type === 'L_PAREN') open.push([index]);
    if (type === 'R_PAREN' && open.length > 1) close(index);
    if (open.length > MAX_DEPTH) return undefined;
  }
  while (open.length > 0) close(tokens.length);
  return edits;
}

/** Edits one query. `cuts` are the indexes of the token before it, of its pipes and of the token after it. */
function chainEdits(tokens: readonly Token[], cuts: readonly number[]): readonly Edit[] {
  const [base = [], ...steps] = cuts.slice(1).map((cut, at) => tokens.slice((cuts[at] ?? 0) + 1, cut));
  const [first, last] = [base[0], steps.at(-1)?.at(-1)];
  if (first === undefined || last === undefined) return [];
  const edits: Edit[] = [{ start: first.start, end: first.start, text: 'WITH p0 AS (' }, ...baseEdits(base)];
  let before: PipeStep | undefined;
  let made = 0;
  for (const [at, step] of steps.entries()) {
    // `findRefusedPipe` has refused the text if an operator is unknown
    const written = operatorOf(step)?.(step, `p${made}`);
    if (written === undefined) return [];
    // `ORDER BY a |> LIMIT 3` is one query, whose rows are always the same
    const isJoined = written.extends !== undefined && written.extends === before?.kind;
    if (!isJoined) made += 1;
    const text = isJoined ? ' ' : `${tailOf(before)}), p${made} AS (${written.head} `;
    const { start, end } = itemAt(tokens, itemAt(cuts, at + 1));
    edits.push({ start, end, text }, ...written.edits);
    before = written;
  }
  return [...edits, { start: last.end, end: last.end, text: `${tailOf(before)}) SELECT * FROM p${made}` }];
}

const tailOf = (step: PipeStep | undefined): string => step?.tail ?? '';

/** Completes the query before the first pipe: `FROM t`, `WITH a AS (…) FROM a` and Databricks' `TABLE t`. */
function baseEdits(base: readonly Token[]): readonly Edit[] {
  const [first] = base;
  if (first?.text.toUpperCase() === 'TABLE') return [{ start: first.start, end: first.end, text: 'SELECT * FROM' }];
  if (first?.type !== 'FROM' && first?.type !== 'WITH') return [];
  const clause = outermost(base).find(({ type }) => type === 'FROM' || type === 'SELECT');
  if (clause?.type !== 'FROM') return [];
  return [{ start: clause.start, end: clause.start, text: 'SELECT * ' }];
}
