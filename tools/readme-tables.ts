// Writes the tables of the pages in docs/ from the code that they describe: `npm run readme`. A test compares the two.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../src/cli/exit-codes.ts';
import { SETTINGS } from '../src/config.ts';
import { ERROR_CODES } from '../src/kernel/index.ts';
import { ANALYTICS_TABLES } from './analytics-tables.ts';
import { code, type Tables, table, withTables } from './page-tables.ts';
import { settingGroups } from './setting-groups.ts';
import { signInTable } from './sign-in-matrix.ts';
import { vendorVariables } from './vendor-variables.ts';
import { workspaceSettings } from './workspace-settings.ts';

const ROOT = join(import.meta.dirname, '..');
const page = (name: string) => join(ROOT, 'docs', name);

const SETTINGS_TABLES: Tables = {
  ...Object.fromEntries(
    settingGroups().map(([marker, names]) => [
      marker,
      () =>
        table(
          ['variable', 'default', 'meaning'],
          names.map((name) => [code(name), code(SETTINGS[name].default), SETTINGS[name].meaning]),
        ),
    ]),
  ),
  'workspace-settings': workspaceSettings,
};

const DISPOSITIONS = [...new Set(Object.values(ERROR_CODES).map(({ disposition }) => disposition))];

const ERROR_TABLES: Tables = {
  ...Object.fromEntries(
    DISPOSITIONS.map((disposition) => [
      `errors-${disposition}`,
      () =>
        table(
          ['code', 'meaning'],
          Object.entries(ERROR_CODES)
            .filter(([, error]) => error.disposition === disposition)
            .map(([name, error]) => [code(name), error.meaning]),
        ),
    ]),
  ),
  'exit-codes': () =>
    table(
      ['exit code', 'meaning'],
      Object.values(EXIT).map((exit) => [String(exit.code), exit.meaning]),
    ),
};

/** Files with tables, and which. */
export const PAGES: ReadonlyMap<string, Tables> = new Map([
  [page('settings.md'), SETTINGS_TABLES],
  [page('errors.md'), ERROR_TABLES],
  [page('analytics.md'), ANALYTICS_TABLES],
  [page('warehouses/sign-in.md'), { 'sign-ins': signInTable }],
  [page('vendor-accounts.md'), { 'vendor-variables': vendorVariables }],
]);

if (import.meta.main) {
  for (const [file, tables] of PAGES) writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables));
}
