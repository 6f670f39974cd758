import { check } from 'recheck';

export const LIST = new URL('../../architecture/linear-patterns.txt', import.meta.url).pathname;

const LONGEST_MS = 100_000;

/** Returns what the analysis says of a pattern with slashes and flags: `linear`, `fuzzed` where no attack was found, or a fault. */
export async function judgePattern(pattern: string): Promise<string> {
  const end = pattern.lastIndexOf('/');
  const judged = await check(pattern.slice(1, end), pattern.slice(end + 1), { timeout: LONGEST_MS });
  if (judged.status !== 'safe') return judged.status;
  return judged.complexity.isFuzz ? 'fuzzed' : 'linear';
}

/** Returns the judgements of the list by pattern. */
export function readJudgements(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}
