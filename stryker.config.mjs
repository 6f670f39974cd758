// `npm run mutation`: breaks the decisions that lose or double data when they are wrong, one at a time, and lists what no test
// notices. Not part of CI: one file takes minutes, all of them hours. `npm run mutation -- --mutate src/runs/read/plan-range.ts`
// tries one file; the tests that judge it are those of its entry below.
import { matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';

/** Files that are broken, and the tests about them: quick ones, since a mutant that nobody notices goes through all of them. */
const decisions = [
  {
    mutate: ['src/dsr/request-machine.ts', 'src/runs/read/plan-range.ts'],
    tests: ['test/unit/{dsr,runs}/**/*.test.ts'],
  },
  {
    mutate: [
      'src/warehouse/sql/{check-model,effects,find-refused,find-unstable}.ts',
      'src/warehouse/sql/{disputed-comment,parentheses,redshift-reading,time-travel}.ts',
    ],
    tests: [
      'test/unit/warehouse/{check-model,check-write-back,hostile-models,model-warnings,refused-functions,refused-statements}.test.ts',
    ],
  },
  {
    mutate: [
      'src/identity/resolve/{strategies,resolve-person,resolve-people,resolve-request,add-identities,select-profiles}.ts',
      'src/identity/resolve/{look-up-people,unstaged-people}.ts',
    ],
    tests: [
      'test/unit/identity/**/*.test.ts',
      'test/integration/identity/{full-sync,resolution,staged-look-ups,strategies,unverified}.test.ts',
    ],
  },
  {
    mutate: ['src/identity/deliver/{creation-lock,creation-tickets}.ts'],
    tests: ['test/integration/identity/creation-lock.test.ts'],
  },
  {
    mutate: ['src/identity/tombstones/*.ts', 'src/identity/mentions/collect-mentions.ts'],
    tests: [
      'test/unit/identity/**/*.test.ts',
      'test/integration/identity/{creation-lock,erase-people,erased-people,find-erased-people,tombstones}.test.ts',
      'test/integration/identity/{erasure-races,unverified}.test.ts',
      'test/integration/dsr/erasure/{erase-subject,reapply}.test.ts',
      'test/integration/cli/tombstone.test.ts',
    ],
  },
  {
    mutate: [
      'src/runs/ledger/*.ts',
      'src/mapping/cells/{cell-form,row-hash,row-text}.ts',
      'src/runs/lifecycle/settle-failure.ts',
    ],
    tests: [
      'test/unit/runs/{early-rows,former-columns,hash-multiset,row-hash,sieve}.test.ts',
      'test/integration/runs/ledger/{erase-hashes,gained-columns,ledger-statements,left-out-rows,ledger}.test.ts',
      'test/integration/runs/lifecycle/settle-failure.test.ts',
    ],
  },
];

const { mutate: asked } = parseArgs({ options: { mutate: { type: 'string', short: 'm' } }, strict: false }).values;
// a file may carry a range of lines behind a colon
const files = typeof asked === 'string' ? asked.split(',').map((file) => file.replace(/:.*/, '')) : [];
const isAsked = ({ mutate }) => files.some((file) => mutate.some((pattern) => matchesGlob(file, pattern)));
const chosen = decisions.some(isAsked) ? decisions.filter(isAsked) : decisions;

// The tests go to Vitest directly. With Stryker's own `testFiles`, constants of modules are broken only after the tests have
// read them, and all of these mutants survive (github.com/stryker-mutator/stryker-js/issues/6144).
process.env.MUTATION_TESTS = chosen.flatMap(({ tests }) => tests).join(' ');

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  mutate: chosen.flatMap(({ mutate }) => mutate),
  concurrency: 2,
  // the first run of the tests on a busy machine says little of how long the next ones take
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 20,
  reporters: ['clear-text', 'progress'],
  cleanTempDir: 'always',
  thresholds: { high: 95, low: 85, break: 85 },
};
