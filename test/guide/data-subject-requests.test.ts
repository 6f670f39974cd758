// Every command that docs/data-subject-requests.md names is there; readme-then-pages.test.ts runs its steps.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { commandLine } from '../support/runner/command-line.ts';

const page = readFileSync(join(ROOT, 'docs', 'data-subject-requests.md'), 'utf8');

test('every command of the page exists', async () => {
  const { run: penstock } = commandLine({});
  const commands = [...page.matchAll(/^ {4}penstock dsr ([a-z]+)/gm)].map(([, name = '']) => name);
  expect(new Set(commands).size).toBeGreaterThan(5);
  for (const name of commands) expect((await penstock('dsr', name, '--help')).out).toContain(`penstock dsr ${name}`);
});
