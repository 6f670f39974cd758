import type { Token } from './parser.ts';

/** Keywords that a parser reads as a name or an alias when they are misspelt, so that it complains of a later word. */
const KEYWORDS = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP', 'ORDER', 'HAVING', 'LIMIT', 'UNION', 'EXCEPT', 'INTERSECT'],
  ...['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'USING', 'QUALIFY', 'WITH'],
] as const;

/** Tokens after which a word is a name, however it is spelt. */
const BEFORE_NAMES: ReadonlySet<string> = new Set(['SELECT', 'COMMA', 'DOT', 'ALIAS', 'AS', 'DISTINCT', 'FROM']);

/** Words before the one that the parser complains of, among which the misspelt one is looked for. */
const MOST_WORDS = 3;

export interface Misspelt {
  readonly word: string;
  readonly keyword: string;
  readonly offset: number;
}

/** Returns the misspelt keyword that explains a syntax error at `offset`, if one stands directly before. */
export function findMisspelt(tokens: readonly Token[], offset: number): Misspelt | undefined {
  const at = tokens.findLastIndex(({ start }) => start <= offset);
  for (let index = at; index >= Math.max(0, at - MOST_WORDS); index--) {
    const token = tokens[index];
    if (token?.type === 'L_PAREN' || token?.type === 'R_PAREN') return undefined;
    if (token?.type !== 'VAR' || BEFORE_NAMES.has(tokens[index - 1]?.type ?? '')) continue;
    const word = token.text.toUpperCase();
    const keyword = KEYWORDS.find((each) => isNear(word, each));
    if (keyword !== undefined) return { word: token.text, keyword, offset: token.start };
  }
  return undefined;
}

/** Tells whether one letter is missing, added or wrong, or two neighbours are swapped. */
function isNear(word: string, keyword: string): boolean {
  if (Math.abs(word.length - keyword.length) > 1) return false;
  let same = 0;
  while (same < keyword.length && word[same] === keyword[same]) same += 1;
  const [rest, wanted] = [word.slice(same), keyword.slice(same)];
  return (
    rest.slice(1) === wanted.slice(1) ||
    rest.slice(1) === wanted ||
    rest === wanted.slice(1) ||
    (rest[0] === wanted[1] && rest[1] === wanted[0] && rest.slice(2) === wanted.slice(2))
  );
}
