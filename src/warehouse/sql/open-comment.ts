const NESTING: ReadonlySet<string> = new Set(['duckdb', 'postgresql', 'redshift', 'databricks']);

/**
 * The place of a comment that nobody closes, which would take away the rest of the text in silence. `from`: the end of the
 * last token; behind it there are only comments.
 */
export function findOpenComment(sql: string, from: number, grammar: string): number | undefined {
  const begun: number[] = [];
  for (const { 0: mark, index } of sql.slice(from).matchAll(/(?:--|#|\/\/)[^\n]*|\/\*|\*\//g)) {
    if (mark === '*/') begun.pop();
    else if (mark === '/*' && (begun.length === 0 || NESTING.has(grammar))) begun.push(from + index);
    // a mark of a line's comment means nothing within another, but the rest of its line may close that
    else if (mark.includes('*/') && begun.length > 0) begun.pop();
  }
  return begun[0];
}
