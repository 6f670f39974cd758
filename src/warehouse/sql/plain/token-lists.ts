import type { Token } from '../parser.ts';

/** Returns the tokens of a list that stand in no parentheses within it. */
export function outermost(tokens: readonly Token[]): readonly Token[] {
  let depth = 0;
  return tokens.filter(({ type }) => {
    if (type === 'R_PAREN') depth -= 1;
    const isOutside = depth === 0 && type !== 'R_PAREN';
    if (type === 'L_PAREN') depth += 1;
    return isOutside;
  });
}

/** Returns the first `count` words of a list, in upper case and in one text. */
export function wordsAt(tokens: readonly Token[], count: number): string {
  return tokens
    .slice(0, count)
    .map(({ text }) => text.toUpperCase())
    .join(' ');
}
