import type { Token } from './parser.ts';

/** The index of the parenthesis that closes the one at `open`; -1: none does. */
export function closeOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  return tokens.findIndex(({ type }, at) => {
    if (at < open) return false;
    depth += stepOf(type);
    return depth === 0;
  });
}

/** A text that closes more than it opens would leave the parentheses it is wrapped in. */
export function isClosed(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { type } of tokens) {
    depth += stepOf(type);
    if (depth < 0) return false;
  }
  return depth === 0;
}

function stepOf(type: string): number {
  if (type === 'L_PAREN') return 1;
  return type === 'R_PAREN' ? -1 : 0;
}
