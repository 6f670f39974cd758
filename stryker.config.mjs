// `npm run mutation`: breaks the decisions that lose or double data when they are wrong, one at a time, and lists what no test
// notices. Not part of CI: it takes many minutes. `npm run mutation -- --mutate src/engine/plan-range.ts` tries one file.
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: [
    'src/dsr/request-machine.ts',
    'src/engine/plan-range.ts',
    'src/warehouse/sql/{check-model,effects,find-refused,find-unstable}.ts',
  ],
  concurrency: 2,
  reporters: ['clear-text', 'progress'],
  cleanTempDir: 'always',
  thresholds: { high: 95, low: 85, break: 85 },
};
