// The order of test files: files that wait longest for real processes begin first, so that nothing is left to wait for when
// the rest is through. A fresh clone has no durations to go by, and the slowest files are short.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SLOWEST_FIRST = [
  'test/e2e/crash/',
  'test/e2e/',
  'test/guide/',
  'test/clients/',
  'test/integration/embedded-store.test.ts',
  'test/integration/jobs/',
  'test/integration/runs/',
  'test/integration/',
  'test/',
];

const rankOf = ({ moduleId }: TestSpecification): number =>
  SLOWEST_FIRST.findIndex((part) => moduleId.includes(`/${part}`));

/** Within one rank as vitest has it: failed ones, then the longest by its cache, else the largest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}
