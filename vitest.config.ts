import { defineConfig } from 'vitest/config';

/** One project a kind of test: unit needs nothing, the others share one embedded PostgreSQL. */
const onStore = ['integration', 'api', 'conformance', 'e2e', 'guide'];
const env = { TZ: 'America/Los_Angeles', NODE_ENV: 'test' };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          env,
          testTimeout: 15_000,
        },
      },
      {
        test: {
          name: 'store',
          include: onStore.map((folder) => `test/${folder}/**/*.test.ts`),
          globalSetup: ['test/support/store-setup.ts'],
          env,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
