import { closeOf } from './parentheses.ts';
import type { Token } from './parser.ts';

/**
 * The text with the arguments of `FOR SYSTEM_TIME AS OF f(…)` blanked, so that places stay: BigQuery takes any constant there,
 * and the parser only words.
 */
export function blankTimeTravel(sql: string, tokens: readonly Token[]): string {
  let text = sql;
  for (const index of tokens.keys()) {
    const words = tokens.slice(index, index + 4).map((token) => token.text.toUpperCase());
    const open = tokens[index + 5];
    const close = tokens[closeOf(tokens, index + 5)];
    if (words.join(' ') !== 'FOR SYSTEM_TIME AS OF' || open?.type !== 'L_PAREN' || close === undefined) continue;
    const blank = sql.slice(open.start, close.end).replaceAll(/[^\n]/g, ' ');
    text = text.slice(0, open.start) + blank + text.slice(close.end);
  }
  return text;
}
