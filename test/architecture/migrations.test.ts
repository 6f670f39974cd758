// Migrations as files: they make the tables of the source, run in order, one statement a message, and with nothing that a
// distributed store refuses.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import config from '../../drizzle.config.ts';
import { ROOT } from './source-tree.ts';

const FOLDER = join(ROOT, 'migrations');
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort();
const journal = JSON.parse(readFileSync(join(FOLDER, 'meta', '_journal.json'), 'utf8')) as {
  readonly entries: readonly { readonly when: number; readonly tag: string }[];
};

test('the journal lists every file, each newer than the one before: an older one would never run', () => {
  expect(journal.entries.map(({ tag }) => `${tag}.sql`)).toEqual(names);
  const times = journal.entries.map(({ when }) => when);
  expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
});

test('`npm run migration` finds nothing to generate: the newest snapshot holds the tables of the source', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'penstock-migrations-'));
  try {
    await cp(FOLDER, copy, { recursive: true });
    // drizzle-kit takes paths that begin at the working directory; it runs apart because it adds to the prototypes of Array and String
    const settings = join(copy, 'drizzle.config.json');
    await writeFile(settings, JSON.stringify({ ...config, out: relative(ROOT, copy) }));
    const command = [join(ROOT, 'node_modules', 'drizzle-kit', 'bin.cjs'), 'generate', '--config', settings];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
    // with a column that may be new or renamed it ends without a file and without an error, because nobody can answer it
    expect(stdout).toContain('No schema changes');
  } finally {
    await rm(copy, { recursive: true });
  }
});

describe.each(names)('%s', (name) => {
  const statements = readFileSync(join(FOLDER, name), 'utf8')
    .replace(/^--(?!> statement-breakpoint).*$/gm, '')
    .split('--> statement-breakpoint')
    .map((text) => text.trim());

  test('has one statement between two breakpoints', () => {
    // the body of a function is one text
    const plain = statements.map((text) => text.replace(/\$\$.*?\$\$/gs, '$$$$'));
    const wrong = plain.filter((text) => text === '' || text.replace(/;$/, '').includes(';'));
    expect(wrong).toEqual([]);
  });

  test('does nothing that a distributed table refuses', () => {
    const refused =
      /ADD COLUMN[^;]*\b(GENERATED|SERIAL|BIGSERIAL|CHECK)\b|RENAME CONSTRAINT|CREATE TRIGGER|INHERITS|CREATE RULE/i;
    expect(statements.filter((text) => refused.test(text))).toEqual([]);
  });

  test('says how columns are stored before the tables can be distributed, which their foreign keys wait for', () => {
    const firstForeignKey = statements.findIndex((text) => /FOREIGN KEY/i.test(text));
    const late = firstForeignKey < 0 ? [] : statements.slice(firstForeignKey);
    expect(late.filter((text) => /SET STORAGE/i.test(text))).toEqual([]);
  });
});
