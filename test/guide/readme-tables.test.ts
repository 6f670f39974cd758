import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { README, withTables } from '../../tools/readme-tables.ts';

test('the README shows every setting, error code and exit code as the code has it (npm run readme writes them)', () => {
  const text = readFileSync(README, 'utf8');
  expect(text).toBe(withTables(text));
});
