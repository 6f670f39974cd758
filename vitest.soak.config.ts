import { defineConfig } from 'vitest/config';

/** `npm run soak`: what takes too long for `npm test`. Seeds are printed; CRASH_SEED repeats a run. */
export default defineConfig({
  test: {
    include: ['test/soak/**/*.test.ts'],
    globalSetup: ['test/support/stores/store-setup.ts'],
    env: { TZ: 'America/Los_Angeles', NODE_ENV: 'test' },
    maxWorkers: 1,
  },
});
