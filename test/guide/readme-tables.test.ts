import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { withTables } from '../../tools/page-tables.ts';
import { PAGES } from '../../tools/readme-tables.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';

test.each([...PAGES].map(([file, tables]) => [relative(ROOT, file), file, tables] as const))(
  '%s shows every table as the code has it (npm run readme writes them)',
  (_name, file, tables) => {
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(withTables(text, tables));
  },
);
