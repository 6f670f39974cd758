import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A mutant is over with the first test that fails: those of no store, and then the shortest, find most of them at once. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costOf = (file: TestSpecification) =>
      file.moduleId.includes('/test/unit/') ? 0 : (this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 1);
    return files.toSorted((one, other) => costOf(one) - costOf(other));
  }
}

/** The tests that judge mutants. `stryker.config.mjs` names them. */
export default defineConfig({
  test: {
    env: { TZ: 'America/Los_Angeles', NODE_ENV: 'test' },
    include: (process.env.MUTATION_TESTS ?? '').split(' '),
    globalSetup: ['test/support/stores/store-setup.ts'],
    sequence: { sequencer: ShortestFirst },
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
