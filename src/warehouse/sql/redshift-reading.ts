import type { Token } from './parser.ts';

/**
 * Returns the first string that PostgreSQL and Redshift read differently; one connection may be either.
 * A backslash before a quote ends the string in PostgreSQL, while in Redshift the string goes on. Both know the escapes of
 * E'…'.
 */
export function findDisputedString(sql: string, tokens: readonly Token[], grammar: string): Token | undefined {
  if (grammar !== 'postgresql' && grammar !== 'redshift') return undefined;
  return tokens.find(({ start, end }) => /^[a-df-z]?'.*\\'/is.test(sql.slice(start, end)));
}

/**
 * Returns the text as Redshift reads it, with the escapes of its strings blanked, so that offsets stay.
 * The text must have no block comments (/* *\/) and no dollar quotes, both of which may contain quotes.
 */
export function readByRedshift(sql: string): string {
  return sql.replaceAll(/--[^\n]*|"[^"]*"|'(?:\\[\s\S]|[^'\\])*'?/g, (part) =>
    part.startsWith("'") ? part.replaceAll(/\\[\s\S]/g, (pair) => pair.replaceAll(/['\\]/g, '_')) : part,
  );
}
