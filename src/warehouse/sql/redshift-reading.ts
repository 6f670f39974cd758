import type { Token } from './parser.ts';

/**
 * The first string that PostgreSQL and Redshift, which one connection may both be, read differently: a backslash before a
 * quote ends it to PostgreSQL, and to Redshift it goes on. Both know the escapes of E'…'.
 */
export function findDisputedString(sql: string, tokens: readonly Token[], grammar: string): Token | undefined {
  if (grammar !== 'postgresql' && grammar !== 'redshift') return undefined;
  return tokens.find(({ start, end }) => /^[a-df-z]?'.*\\'/is.test(sql.slice(start, end)));
}

/**
 * The text as Redshift reads it, with the escapes of its strings blanked, so that places stay. Only for texts without
 * comments of the form /* *\/ and without dollar quotes, which may hold quotes, too.
 */
export function readByRedshift(sql: string): string {
  return sql.replaceAll(/--[^\n]*|"[^"]*"|'(?:\\[\s\S]|[^'\\])*'?/g, (part) =>
    part.startsWith("'") ? part.replaceAll(/\\[\s\S]/g, (pair) => pair.replaceAll(/['\\]/g, '_')) : part,
  );
}
