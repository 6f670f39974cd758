// This command writes the list of judged patterns: `npm run patterns`. Patterns that stand in it keep their judgement.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { collectPatterns } from './collect-patterns.ts';
import { judgePattern, LIST, readJudgements } from './judge-pattern.ts';

const known = readJudgements(existsSync(LIST) ? readFileSync(LIST, 'utf8') : '');
const lines: string[] = [];
for (const { pattern } of collectPatterns()) {
  const judged = known.get(pattern) ?? (await judgePattern(pattern));
  lines.push(`${judged} ${pattern}`);
}
writeFileSync(LIST, `${lines.sort().join('\n')}\n`);
