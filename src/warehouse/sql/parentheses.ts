import type { Token } from './parser.ts';

/** Returns the parenthesis that closes the one at `open`, and the token after it. Returns none if the text ends before. */
export function closeOf(tokens: readonly Token[], open: number): readonly Token[] {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    depth += stepOf(tokens[at]?.type);
    if (depth === 0) return tokens.slice(at, at + 2);
  }
  return [];
}

/** Tells whether all parentheses match. A text that closes more than it opens would leave the parentheses around it. */
export function isClosed(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { type } of tokens) {
    depth += stepOf(type);
    if (depth < 0) return false;
  }
  return depth === 0;
}

function stepOf(type: string | undefined): number {
  if (type === 'L_PAREN') return 1;
  return type === 'R_PAREN' ? -1 : 0;
}
