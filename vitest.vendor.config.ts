import { defineConfig } from 'vitest/config';

/** The sentences of the connector contract against a vendor's account: `npm run vendor`. */
export default defineConfig({
  test: {
    name: 'vendor',
    include: ['test/conformance/[0-9][0-9]-*.test.ts'],
    env: { TZ: 'America/Los_Angeles', NODE_ENV: 'test' },
    execArgv: ['--import', new URL('test/support/runner/quicken-imports.ts', import.meta.url).href],
    // one account and one space for all files
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
