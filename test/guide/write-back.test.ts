import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IDENTITY_COLUMNS } from '../../src/identity/index.ts';
import { checkWriteBackModel } from '../../src/warehouse/index.ts';
import { README } from '../../tools/readme-tables.ts';
import { commandLine } from '../support/command-line.ts';
import { ROOT } from '../support/penstock-process.ts';

const guide = readFileSync(join(ROOT, 'docs/write-back.md'), 'utf8');
const pages = [guide, readFileSync(README, 'utf8')];
const { run } = commandLine({});

test.each(pages)('the command that prepares a warehouse prints statements as it stands there', async (page) => {
  const [, written = ''] = /penstock (warehouse setup-sql (?:[^\n\\]|\\\n)*)/.exec(page) ?? [];
  const words = written.split('>')[0]?.replaceAll('\\\n', ' ').trim().split(/\s+/) ?? [];
  const { code, out } = await run(...words);
  expect([code, out]).toEqual([0, expect.stringContaining('ON TABLE "public"."people" TO GROUP "penstock"')]);
});

test('every provider of the guide takes what its line names', async () => {
  const lines = [...guide.matchAll(/^ *\| `(\w+)` \| (.*?--.*?) \|/gm)];
  expect(lines.map(([, provider]) => provider)).toEqual(['alpha', 'beta', 'gamma', 'delta', 'duckdb']);
  for (const [, provider = '', inputs = ''] of lines) {
    const options = [...inputs.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    const { err } = await run(
      'warehouse',
      'setup-sql',
      '--provider',
      provider,
      ...options.flatMap((name) => [name, "'"]),
    );
    // each of them has a form, which this is not, and none is missing or foreign
    expect(err.match(/--[a-z-]+: must be/g)).toHaveLength(options.length);
    expect(err).not.toMatch(/is required|does not apply/);
  }
});

test('the model of the guide keeps the rules, in every grammar', async () => {
  const [, sql = ''] = /```sql\n\s*([^`]*)```/.exec(guide) ?? [];
  for (const grammar of ['snowflake', 'bigquery', 'postgresql', 'redshift', 'databricks', 'duckdb']) {
    expect(await checkWriteBackModel(sql, { grammar }, IDENTITY_COLUMNS)).toMatchObject({ outcome: 'accepted' });
  }
});
