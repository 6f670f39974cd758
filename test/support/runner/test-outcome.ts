// The result of a test run, from vitest's JSON report and its exit code.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

interface TestReport {
  readonly status: string;
  readonly fullName?: string;
  readonly failureMessages?: readonly string[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly TestReport[];
}

interface Report {
  readonly testResults: readonly FileReport[];
}

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, one line each. */
  readonly failures: readonly string[];
}

/** The report, or undefined where vitest did not come to write one that can be read. */
export function readOutcome(file: string): Report | undefined {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Partial<Report>;
    return Array.isArray(report.testResults) ? (report as Report) : undefined;
  } catch {
    return undefined;
  }
}

/** Counts tests; a file that broke outside its tests counts as one failure, and so does whatever else made vitest fail. */
export function tally(report: Report | undefined, exitCode: number): Outcome {
  if (report === undefined) return failure('The test run left no report that can be read.');
  const tests = report.testResults.flatMap((file) => file.assertionResults.map((test) => ({ file, test })));
  const count = (wanted: string) => tests.filter(({ test }) => test.status === wanted).length;
  const failures = tests.filter(({ test }) => test.status === 'failed').map(({ file, test }) => lineOf(file, test));
  const broken = report.testResults.filter(isBrokenFile).map((file) => lineOf(file));
  const passed = count('passed');
  const complaints = [...failures, ...broken];
  if (passed + complaints.length === 0) complaints.push('No test was executed.');
  if (exitCode !== 0 && complaints.length === 0) {
    complaints.push(`All tests passed, but the runner ended with ${exitCode}: see its errors above.`);
  }
  const skipped = tests.length - passed - failures.length;
  return { passed, failed: complaints.length, skipped, failures: complaints };
}

function isBrokenFile(file: FileReport): boolean {
  return file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed');
}

const LONGEST_REASON = 300;

/** `file: test: reason`, short enough for the end of a log of which not everybody sees more. */
function lineOf(file: FileReport, test?: TestReport): string {
  const reason = test === undefined ? file.message : test.failureMessages?.[0];
  const words = stripVTControlCharacters(reason ?? '').replaceAll(/\s+/g, ' ');
  const place = [relative(process.cwd(), file.name), test?.fullName ?? 'failed outside its tests'];
  return [...place, words.slice(0, LONGEST_REASON)].filter((part) => part !== '').join(': ');
}

function failure(complaint: string): Outcome {
  return { passed: 0, failed: 1, skipped: 0, failures: [complaint] };
}

/** `N passed, N failed`, and `, N skipped` when there are any. */
export function summaryLine({ passed, failed, skipped }: Omit<Outcome, 'failures'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
