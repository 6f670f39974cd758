// Migrations as files: they run in order, one statement a message, and with nothing that a distributed store refuses.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
