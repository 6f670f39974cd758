import { defineConfig } from 'vitest/config';

/** The tests that judge mutants: those that need no store, of the rooms that `stryker.config.mjs` names. */
export default defineConfig({
  test: {
    env: { TZ: 'America/Los_Angeles', NODE_ENV: 'test' },
    include: ['test/unit/{dsr,engine,warehouse}/**/*.test.ts'],
    isolate: false,
    testTimeout: 60_000,
  },
});
