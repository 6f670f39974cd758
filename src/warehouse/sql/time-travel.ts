import { closeOf } from './parentheses.ts';
import type { Token } from './parser.ts';

/**
 * Returns the text with the arguments of `FOR SYSTEM_TIME AS OF f(…)` blanked, so that offsets stay.
 * BigQuery accepts any constant there, the parser only words.
 */
export function blankTimeTravel(sql: string, tokens: readonly Token[]): string {
  let text = sql;
  for (const [index, { type, start }] of tokens.entries()) {
    if (type !== 'L_PAREN' || !isTimeTravel(tokens.slice(Math.max(0, index - 5), index))) continue;
    const [close] = closeOf(tokens, index);
    if (close === undefined) continue;
    text = text.slice(0, start) + sql.slice(start, close.end).replaceAll(/[^\n]/g, ' ') + text.slice(close.end);
  }
  return text;
}

function isTimeTravel(before: readonly Token[]): boolean {
  const words = before.map(({ text }) => text.toUpperCase());
  return words.slice(0, 4).join(' ') === 'FOR SYSTEM_TIME AS OF';
}
