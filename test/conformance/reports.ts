// Reports of vitest about the sentences.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Assertion } from './table.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Returns the paths of the twelve sentences, from the root. */
export function sentenceFiles(): readonly string[] {
  const files = readdirSync(join(ROOT, 'test', 'conformance')).filter((file) => /^\d\d-.*\.test\.ts$/.test(file));
  return files.map((file) => `test/conformance/${file}`);
}

export function assertionsIn(folder: string): readonly Assertion[] {
  return readdirSync(folder).flatMap((file) => {
    const { testResults } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
    };
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  });
}
