import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOutcome, summaryLine, tally } from '../support/runner/test-outcome.ts';

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

test('names each failure in one line, with the beginning of its reason', () => {
  const name = join(process.cwd(), 'test/unit/x.test.ts');
  const failed = {
    status: 'failed',
    fullName: 'a door opens',
    failureMessages: [`\u001b[31mError: It is\n  shut.\u001b[39m ${'x'.repeat(1000)}`, 'another'],
  };
  const files = [
    { name, status: 'failed', assertionResults: [{ status: 'passed', fullName: 'a door shuts' }, failed] },
    { name, status: 'failed', assertionResults: [], message: 'Cannot find y.ts' },
  ];
  const { failures } = tally({ testResults: files }, 1);
  expect(failures).toEqual([
    expect.stringMatching(/^test\/unit\/x\.test\.ts: a door opens: Error: It is shut\. x{281}$/),
    'test/unit/x.test.ts: failed outside its tests: Cannot find y.ts',
  ]);
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
