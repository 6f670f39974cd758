// The short way to modules leads to the same ones.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ROOT } from './source-tree.ts';

const PACKAGES = ['drizzle-orm', 'drizzle-orm/pg-core', 'drizzle-orm/node-postgres', 'typebox', 'jose', 'pg-boss'];
const OURS = ['src/app.ts', 'src/cli/index.ts', 'connectors/index.ts'].map(
  (path) => pathToFileURL(join(ROOT, path)).href,
);
const ENTRIES = [...PACKAGES, ...OURS];

test('finds the modules that are found without it', async () => {
  const hooks = pathToFileURL(join(ROOT, 'src', 'quick-imports.ts')).href;
  const program = `
    const { quickenImports } = await import('${hooks}');
    quickenImports();
    const names = await Promise.all(${JSON.stringify(ENTRIES)}.map(async (entry) => Object.keys(await import(entry)).sort()));
    console.log(JSON.stringify({ names }));`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, encoding: 'utf8' });
  expect(ran.stderr).toBe('');
  const names = await Promise.all(ENTRIES.map(async (entry) => Object.keys((await import(entry)) as object).sort()));
  expect(JSON.parse(ran.stdout)).toMatchObject({ names });
});
