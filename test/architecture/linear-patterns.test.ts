// No regular expression takes more than linear time, because texts of people, of warehouses and of their servers come to most of
// them. The analysis counts steps and measures no time. It takes up to a minute a pattern, so judged ones are listed beside this
// file; a new one is judged at each run until `npm run patterns` has listed it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collectPatterns, filesThatBuildPatterns } from '../support/patterns/collect-patterns.ts';
import { judgePattern, LIST, readJudgements } from '../support/patterns/judge-pattern.ts';

/** Files that build a pattern while the daemon runs, and what it is built of. */
const BUILT: Readonly<Record<string, string>> = {
  'src/dsr/forwarding/call-partner.ts': 'plain text, each of its characters escaped',
  'src/events/contract/leaves.ts': 'a constant, which is judged',
  'src/http/server/unknown-path.ts': 'the paths of the routes',
  'src/kernel/schema/object-rules.ts': 'a pattern of a schema, which is judged',
  'src/kernel/schema/single-rules.ts': 'a pattern of a schema, which is judged',
};

describe('regular expressions', () => {
  it('take linear time', async () => {
    const listed = readJudgements(readFileSync(LIST, 'utf8'));
    const found = collectPatterns();
    expect(found.length).toBeGreaterThan(200);
    const faults: string[] = [];
    for (const { pattern, places } of found) {
      const judged = listed.get(pattern) ?? (await judgePattern(pattern));
      if (judged !== 'linear' && judged !== 'fuzzed') faults.push(`${judged} ${pattern} in ${places.join(', ')}`);
    }
    expect(faults).toEqual([]);
  }, 600_000);

  it('are built while the daemon runs only of what is safe', () => {
    expect(filesThatBuildPatterns()).toEqual(Object.keys(BUILT).sort());
  });

  it.each([
    ['/0+$/', 'vulnerable'],
    ['/permission denied to create tables in (.+)$/', 'vulnerable'],
    ['/^a+b$/', 'linear'],
  ])('are judged rightly: %s is %s', async (pattern, judged) => {
    expect(await judgePattern(pattern)).toBe(judged);
  });
});
