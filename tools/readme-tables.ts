// Writes the tables of the README from the code that they describe: `npm run readme`. A test compares the two.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../src/cli/exit-codes.ts';
import { SETTINGS } from '../src/config.ts';
import { ERROR_CODES } from '../src/kernel/index.ts';

export const README = join(import.meta.dirname, '..', 'README.md');

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const TABLES: Readonly<Record<string, () => string>> = {
  settings: () =>
    table(
      ['variable', 'default', 'meaning'],
      Object.entries(SETTINGS).map(([name, setting]) => [code(name), code(setting.default), setting.meaning]),
    ),
  'error-codes': () =>
    table(
      ['code', 'disposition', 'meaning'],
      Object.entries(ERROR_CODES).map(([name, error]) => [code(name), error.disposition, error.meaning]),
    ),
  'exit-codes': () =>
    table(
      ['exit code', 'meaning'],
      Object.values(EXIT).map((exit) => [String(exit.code), exit.meaning]),
    ),
};

/** The README's text with every table between its markers made anew. */
export function withTables(text: string): string {
  return Object.entries(TABLES).reduce((page, [name, render]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = page.indexOf(open);
    const to = page.indexOf(close);
    if (from < 0 || to < from) throw new Error(`The README lacks the markers of the table "${name}".`);
    return `${page.slice(0, from + open.length)}\n${render()}\n${page.slice(to)}`;
  }, text);
}

if (import.meta.main) writeFileSync(README, withTables(readFileSync(README, 'utf8')));
