// A write-back model's tree and tokens, put together for its rules. Pure.
import type { Token } from '../parser.ts';
import { isRecord, type Node, nodeOf, visitNodes } from '../syntax-tree.ts';

/** One entry between SELECT and FROM. */
export interface Projected {
  /** `star`: `*`. `nested`: a field of a column, or a column of something other than the table. `alias`: renamed by AS. */
  readonly kind: 'column' | 'star' | 'alias' | 'nested' | 'aggregate' | 'expression';
  /** Name of the field, for a column or an alias; else empty. */
  readonly name: string;
  /** The entry as written. */
  readonly text: string;
  /** UTF-16 offset in the text. */
  readonly offset: number;
}

/** Functions that aggregate rows. Any function missing here is refused as an expression. */
const AGGREGATES: ReadonlySet<string> = new Set([
  'aggregate_function',
  'count',
  'count_if',
  'sum',
  'sum_if',
  'avg',
  'min',
  'max',
  'any_value',
  'median',
  'mode',
  'array_agg',
  'array_concat_agg',
  'string_agg',
  'group_concat',
  'list_agg',
  'first',
  'last',
  'nth_value',
  'approx_count_distinct',
  'approx_distinct',
  'approx_quantile',
  'approx_top_k',
  'quantile',
  'percentile',
  'percentile_cont',
  'percentile_disc',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'variance',
  'var_pop',
  'var_samp',
  'logical_and',
  'logical_or',
  'bool_and',
  'bool_or',
  'bitwise_and_agg',
  'bitwise_or_agg',
  'bitwise_xor_agg',
  'corr',
  'covar_pop',
  'covar_samp',
  'skewness',
  'kurtosis',
  'j_s_o_n_array_agg',
  'j_s_o_n_object_agg',
  'window_function',
  'within_group',
]);

/** Returns the projection of a SELECT whose tables are known by `names` (lower case). */
export function readProjection(
  { sql, tokens, select }: { readonly sql: string; readonly tokens: readonly Token[]; readonly select: Node['fields'] },
  names: readonly string[],
): readonly Projected[] {
  const nodes = Array.isArray(select.expressions) ? select.expressions : [];
  const pieces = piecesOf(tokens);
  return nodes.map((value, index) => {
    const { start = 0, end = 0 } = pieces[index] ?? {};
    return { ...judge(nodeOf(value), names), text: sql.slice(start, end), offset: start };
  });
}

function judge(node: Node | undefined, names: readonly string[]): Pick<Projected, 'kind' | 'name'> {
  if (node === undefined) return { kind: 'expression', name: '' };
  const { kind, fields } = node;
  if (kind === 'star') return { kind: 'star', name: '' };
  if (kind === 'dot') return { kind: 'nested', name: '' };
  if (kind === 'column') return judgeColumn(fields, names);
  if (kind === 'alias') {
    const name = nameOf(fields.alias);
    const inner = judge(nodeOf(fields.this), names);
    // "AS" with the column's own name changes nothing
    if (inner.kind === 'column') return { kind: same(inner.name, name) ? 'column' : 'alias', name };
    return { kind: inner.kind, name };
  }
  return { kind: holdsAggregate(node) ? 'aggregate' : 'expression', name: '' };
}

function judgeColumn(fields: Node['fields'], names: readonly string[]): Pick<Projected, 'kind' | 'name'> {
  const name = nameOf(fields.name);
  if (name === '*') return { kind: 'star', name: '' };
  const of = nameOf(fields.table).toLowerCase();
  return { kind: of === '' || names.includes(of) ? 'column' : 'nested', name };
}

function holdsAggregate(node: Node): boolean {
  let found = false;
  visitNodes({ [node.kind]: node.fields }, ({ kind }) => {
    found ||= AGGREGATES.has(kind);
  });
  return found;
}

/** Returns the text of an identifier node; empty where there is none. */
export function nameOf(identifier: unknown): string {
  return isRecord(identifier) && typeof identifier.name === 'string' ? identifier.name : '';
}

export function same(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);
const ENDS = new Set(['FROM', 'WHERE', 'UNION', 'SEMICOLON']);
const MODIFIERS = new Set(['DISTINCT', 'ALL']);

/** Returns the start and end of each entry of the first SELECT. Commas inside brackets separate nothing. */
function piecesOf(tokens: readonly Token[]): readonly { readonly start: number; readonly end: number }[] {
  const after = tokens.slice(tokens.findIndex(({ type }) => type === 'SELECT') + 1);
  const outside = withDepths(MODIFIERS.has(after[0]?.type ?? '') ? after.slice(1) : after);
  const end = outside.findIndex(({ token, depth }) => depth === 0 && ENDS.has(token.type));
  const entries: Token[][] = [[]];
  for (const { token, depth } of end < 0 ? outside : outside.slice(0, end)) {
    if (depth === 0 && token.type === 'COMMA') entries.push([]);
    else entries.at(-1)?.push(token);
  }
  return entries.map((entry) => ({ start: entry[0]?.start ?? 0, end: entry.at(-1)?.end ?? 0 }));
}

/** Combines each token with the number of brackets open around it. A closing bracket still counts as inside. */
function withDepths(tokens: readonly Token[]): readonly { readonly token: Token; readonly depth: number }[] {
  let open = 0;
  return tokens.map((token) => {
    const isText = token.type === 'STRING' || token.type === 'QUOTED_IDENTIFIER';
    const depth = open;
    if (!isText && OPENING.has(token.text)) open += 1;
    if (!isText && CLOSING.has(token.text)) open -= 1;
    return { token, depth };
  });
}
