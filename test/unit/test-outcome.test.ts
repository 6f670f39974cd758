import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOutcome, summaryLine, tally } from '../support/test-outcome.ts';

const file = (status: string, ...tests: readonly string[]) => ({
  name: 'x.test.ts',
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

test('counts tests by what became of them', () => {
  const outcome = tally({ testResults: [file('passed', 'passed', 'pending', 'todo'), file('failed', 'failed')] }, 1);
  expect(summaryLine(outcome)).toBe('1 passed, 1 failed, 2 skipped');
});

test('says nothing of skipped tests where there are none', () => {
  expect(summaryLine(tally({ testResults: [file('passed', 'passed')] }, 0))).toBe('1 passed, 0 failed');
});

test('a file that breaks outside its tests counts as a failure', () => {
  const imports = tally({ testResults: [file('passed', 'passed'), file('failed')] }, 1);
  const teardown = tally({ testResults: [file('failed', 'passed')] }, 1);
  expect([imports, teardown].map(summaryLine)).toEqual(['1 passed, 1 failed', '1 passed, 1 failed']);
});

test('a runner that fails although all tests passed counts as a failure', () => {
  expect(summaryLine(tally({ testResults: [file('passed', 'passed')] }, 1))).toBe('1 passed, 1 failed');
});

test('no executed test is a failure', () => {
  expect(tally({ testResults: [] }, 0).failed).toBe(1);
  expect(summaryLine(tally({ testResults: [file('passed', 'pending')] }, 0))).toBe('0 passed, 1 failed, 1 skipped');
});

test('a missing or broken report is a failure', () => {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-report-'));
  writeFileSync(join(folder, 'cut.json'), '{"testResults":[');
  writeFileSync(join(folder, 'other.json'), '{}');
  const reports = ['none.json', 'cut.json', 'other.json'].map((name) => readOutcome(join(folder, name)));
  rmSync(folder, { recursive: true, force: true });
  expect(reports).toEqual([undefined, undefined, undefined]);
  expect(tally(undefined, 0)).toMatchObject({ passed: 0, failed: 1 });
});
