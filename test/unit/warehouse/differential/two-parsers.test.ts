// The gate's two parsers, side by side. disagreements.txt names each text that only one of them takes for a single SELECT, with
// what the gate says of it. Read each new line before it is accepted (`npx vitest run -u`): `accepted` must never stand there.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkByGrammar } from '../../../../src/warehouse/sql/check-model.ts';
import { loadParser } from '../../../../src/warehouse/sql/parser.ts';
import { GRAMMAR_SAMPLES } from './grammar-samples.ts';
import { DISPUTES, mutations } from './mutations.ts';
import { disagreement } from './readings.ts';

const GRAMMARS = ['bigquery', 'snowflake', 'postgresql', 'redshift'] as const;
const ROOT = new URL('../../../../', import.meta.url).pathname;

/** Returns the texts that begin as a query, in the documents, the examples and the tests of this repository. */
function corpus(): readonly string[] {
  const files = globSync(`${ROOT}{docs,examples,demo,test,connectors}/**/*.{md,sql,yml,json,ts}`, {
    exclude: (path) => path.includes('differential'),
  });
  const found = files.sort().flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return Array.from(
      text.matchAll(/(['"`])((?:select|with|from)\s(?:(?!\1)[^\\\n]){4,2000})\1/gi),
      ({ 2: sql = '' }) => sql,
    );
  });
  return [...new Set(found)].filter((sql) => !sql.includes('${'));
}

async function disagreements(texts: readonly (readonly [grammar: string, sql: string])[]): Promise<readonly string[]> {
  const parser = await loadParser();
  return texts.flatMap(([grammar, sql]) => {
    const line = disagreement(parser, sql, grammar);
    if (line === undefined) return [];
    const check = checkByGrammar(parser, sql, grammar);
    return [`${line} | gate: ${check.outcome === 'refused' ? check.complaint.message : check.outcome}`];
  });
}

describe('two parsers', () => {
  it('read the SQL of this repository alike', async () => {
    const texts = corpus();
    expect(texts.length).toBeGreaterThan(500);
    // each text in one grammar, and in the same one when others come or go
    const assigned = texts.map((sql) => [GRAMMARS[sql.length % GRAMMARS.length] ?? 'postgresql', sql] as const);
    const refused = await disagreements(assigned);
    expect(refused.filter((line) => line.includes('Two parsers'))).toEqual([]);
    expect(refused.filter((line) => / gate: (?:accepted|undecided)$/.test(line))).toEqual([]);
  });

  it('differ on hostile texts only where disagreements.txt says so, and each of those is refused', async () => {
    const mutated = GRAMMARS.flatMap((grammar) =>
      mutations(GRAMMAR_SAMPLES[grammar] ?? []).map((sql) => [grammar, sql] as const),
    );
    const disputed = GRAMMARS.flatMap((grammar) => DISPUTES.map((sql) => [grammar, sql] as const));
    const lines = await disagreements([...mutated, ...disputed]);
    expect(lines.filter((line) => / gate: (?:accepted|undecided)$/.test(line))).toEqual([]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('disagreements.txt');
  });
});

describe('the gate', () => {
  it.each(Object.entries(GRAMMAR_SAMPLES))('accepts what the grammar of %s documents', async (grammar, samples) => {
    const parser = await loadParser();
    const refused = samples.filter((sql) => checkByGrammar(parser, sql, grammar).outcome !== 'accepted');
    expect(refused).toEqual([]);
  });
});
