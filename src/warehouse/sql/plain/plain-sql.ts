// Writes constructs that the parser does not know in a form that it knows. Only the parser reads the result: the warehouse gets
// the model as it was written. The checks of words read the tokens of the original text, and the calls that an edit removes are
// parsed apart (`timeTravelCalls`), so that nothing is hidden.
import type { Token } from '../parser.ts';
import { applyEdits, type Edit, type EditedText } from './edits.ts';
import { PIPE_GRAMMARS, pipeEdits } from './pipes.ts';
import { timeTravelEdits } from './time-travel.ts';

/** Returns the text for the parser. Returns undefined if pipe queries are nested too deeply. */
export function plainSql(sql: string, tokens: readonly Token[], grammar: string): EditedText | undefined {
  const pipes = PIPE_GRAMMARS.has(grammar) ? pipeEdits(tokens) : [];
  return pipes && applyEdits(sql, [...pipes, ...productEdits(tokens, grammar)]);
}

function productEdits(tokens: readonly Token[], grammar: string): readonly Edit[] {
  if (grammar === 'bigquery') return [...timeTravelEdits(tokens, grammar), ...withExpressionEdits(tokens)];
  return grammar === 'snowflake' ? starPatternEdits(tokens) : [];
}

/** One pair of parentheses. `names` has an edit for each name of a WITH expression; other parentheses have none. */
interface Parentheses {
  readonly names: Edit[] | undefined;
  /** Index of the first token after the parenthesis or the last comma. */
  from: number;
}

/** Writes `WITH(x AS 1, y AS x + 1, x + y)` as `STRUCT(1, x + 1, x + y)`. The parser knows only the WITH of a query. */
function withExpressionEdits(tokens: readonly Token[]): readonly Edit[] {
  const edits: Edit[] = [];
  const open: Parentheses[] = [];
  for (const [index, { type }] of tokens.entries()) {
    if (type === 'L_PAREN') open.push(opened(tokens, index));
    else if (type === 'R_PAREN') edits.push(...(open.pop()?.names ?? []));
    else if (type === 'COMMA') noteName(tokens, index, open.at(-1));
  }
  return edits;
}

function opened(tokens: readonly Token[], index: number): Parentheses {
  const before = tokens[index - 1];
  const names = before?.type === 'WITH' ? [{ start: before.start, end: before.end, text: 'STRUCT' }] : undefined;
  return { names, from: index + 1 };
}

/** Notes the name of the item that ends at a comma. */
function noteName(tokens: readonly Token[], comma: number, inside: Parentheses | undefined): void {
  if (inside === undefined) return;
  const [name, as] = [tokens[inside.from], tokens[inside.from + 1]];
  if (name !== undefined && as?.text.toUpperCase() === 'AS') {
    inside.names?.push({ start: name.start, end: as.end, text: '' });
  }
  inside.from = comma + 1;
}

/** Removes the pattern of Snowflake's `SELECT * ILIKE '…'`, which selects columns by their names. */
function starPatternEdits(tokens: readonly Token[]): readonly Edit[] {
  return tokens.flatMap(({ text, start }, index) => {
    const pattern = tokens[index + 1];
    if (text.toUpperCase() !== 'ILIKE' || tokens[index - 1]?.type !== 'STAR') return [];
    return pattern?.type.endsWith('STRING') === true ? [{ start, end: pattern.end, text: '' }] : [];
  });
}
