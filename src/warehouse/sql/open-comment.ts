const NESTING: ReadonlySet<string> = new Set(['duckdb', 'postgresql', 'redshift', 'databricks']);

/**
 * Returns the place of a comment that is not closed, which would silently hide the rest of the text.
 * `from` is the end of the last token; only comments follow it.
 */
export function findOpenComment(sql: string, from: number, grammar: string): number | undefined {
  const begun: number[] = [];
  for (const { 0: mark, index } of sql.slice(from).matchAll(/(?:--|#|\/\/)[^\n]*|\/\*|\*\//g)) {
    if (mark === '*/') begun.pop();
    else if (mark === '/*' && (begun.length === 0 || NESTING.has(grammar))) begun.push(from + index);
    // `--` and `#` begin no comment inside a block comment, but the rest of their line may close the block
    else if (mark.includes('*/') && begun.length > 0) begun.pop();
  }
  return begun[0];
}
