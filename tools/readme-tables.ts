// Writes the tables of the README and of the guide pages from the code that they describe: `npm run readme`. A test compares
// the two.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../src/cli/exit-codes.ts';
import { SETTINGS } from '../src/config.ts';
import { ERROR_CODES } from '../src/kernel/index.ts';
import { ANALYTICS_TABLES } from './analytics-tables.ts';
import { code, type Tables, table, withTables } from './page-tables.ts';

const ROOT = join(import.meta.dirname, '..');
export const README = join(ROOT, 'README.md');

const README_TABLES: Tables = {
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

/** Files with tables, and which. */
export const PAGES: ReadonlyMap<string, Tables> = new Map([
  [README, README_TABLES],
  [join(ROOT, 'docs', 'analytics.md'), ANALYTICS_TABLES],
]);

if (import.meta.main) {
  for (const [file, tables] of PAGES) writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables));
}
