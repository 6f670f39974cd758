// `FOR SYSTEM_TIME AS OF f(…)` of BigQuery, which takes any constant. The parser takes only words there, so it reads the call
// apart from the query.
import { closeOf } from '../parentheses.ts';
import type { Token } from '../parser.ts';
import type { Edit } from './edits.ts';
import { wordsAt } from './token-lists.ts';

const TIME_TRAVEL = 'FOR SYSTEM_TIME AS OF';
const WORDS = TIME_TRAVEL.split(' ').length;

/** Returns the tokens of each call, from its name to its closing parenthesis. A call within another one is left out. */
export function timeTravelCalls(tokens: readonly Token[], grammar: string): readonly (readonly Token[])[] {
  if (grammar !== 'bigquery') return [];
  const calls: (readonly Token[])[] = [];
  let end = 0;
  for (const [index, { type, start }] of tokens.entries()) {
    if (type !== 'L_PAREN' || start < end || !isTimeTravel(tokens, index - 1)) continue;
    const [close] = closeOf(tokens, index);
    // nothing closes the parentheses of a later call either
    if (close === undefined) break;
    end = close.end;
    calls.push(tokens.slice(index - 1, tokens.indexOf(close, index) + 1));
  }
  return calls;
}

function isTimeTravel(tokens: readonly Token[], name: number): boolean {
  return name >= WORDS && wordsAt(tokens.slice(name - WORDS, name), WORDS) === TIME_TRAVEL;
}

/** Removes the arguments of the calls. */
export function timeTravelEdits(tokens: readonly Token[], grammar: string): readonly Edit[] {
  return timeTravelCalls(tokens, grammar).flatMap(([, open, ...rest]) => {
    const close = rest.at(-1);
    return open === undefined || close === undefined ? [] : [{ start: open.start, end: close.end, text: ' ' }];
  });
}
