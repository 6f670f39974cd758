// What a test run came to, from vitest's JSON report and its exit code.
import { readFileSync } from 'node:fs';

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

interface Report {
  readonly testResults: readonly FileReport[];
}

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Failures that no test stands for, one line each. */
  readonly complaints: readonly string[];
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
  const statuses = report.testResults.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length;
  const complaints = report.testResults.filter(isBrokenFile).map((file) => `${file.name} failed outside its tests.`);
  const passed = count('passed');
  const failed = count('failed');
  if (passed + failed + complaints.length === 0) complaints.push('No test was executed.');
  if (exitCode !== 0 && failed + complaints.length === 0) {
    complaints.push(`All tests passed, but the runner ended with ${exitCode}: see its errors above.`);
  }
  return { passed, failed: failed + complaints.length, skipped: statuses.length - passed - failed, complaints };
}

function isBrokenFile(file: FileReport): boolean {
  return file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed');
}

function failure(complaint: string): Outcome {
  return { passed: 0, failed: 1, skipped: 0, complaints: [complaint] };
}

/** `N passed, N failed`, and `, N skipped` when there are any. */
export function summaryLine({ passed, failed, skipped }: Omit<Outcome, 'complaints'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
