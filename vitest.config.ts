import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/runner/longest-first.ts';

/** One project a kind of test: unit needs nothing, the others share one embedded PostgreSQL. */
const onStore = ['integration', 'api', 'conformance', 'e2e', 'guide', 'clients'];
const shared = {
  env: { TZ: 'America/Los_Angeles', NODE_ENV: 'test' },
  execArgv: ['--import', new URL('test/support/runner/quicken-imports.ts', import.meta.url).href],
  // files that follow each other in a worker share its modules: to load them anew took most of the processor's time
  isolate: false,
  // more than cores, for half of the time is spent waiting for processes, heartbeats and backoffs
  maxWorkers: 4,
};

/** Tests of one product that need its local server; the sentences of the contract are both projects', each has its half of the fleet. */
const onServers = ['test/conformance/databricks/**/*.test.ts'];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          testTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'store',
          include: onStore.map((folder) => `test/${folder}/**/*.test.ts`),
          exclude: onServers,
          globalSetup: ['test/support/stores/store-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          ...shared,
          env: { ...shared.env, PENSTOCK_TEST_FLEET: 'servers' },
          name: 'warehouses',
          include: ['test/conformance/*.test.ts', ...onServers, 'test/warehouses/**/*.test.ts'],
          globalSetup: ['test/support/stores/store-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // one file at a time: BigQuery's emulator takes tables of one name in two datasets for one table
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
