import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const RUN_GROUP = join(import.meta.dirname, '..', 'support', 'runner', 'run-group.ts');

/** Ends at the signal, before its own child, which has something to clear up. */
const COMMAND = `
  (trap 'echo caught; sleep 0.2; echo cleared; exit' TERM; echo ready; while :; do sleep 0.05; done) &
  trap 'exit 3' TERM
  wait`;

test('a command gets a signal once, however often it comes, and is waited for with all that it started', async () => {
  const script = `
    import { runGroup } from ${JSON.stringify(RUN_GROUP)};
    console.log(JSON.stringify(await runGroup('bash', ['-c', ${JSON.stringify(COMMAND)}], '/')));`;
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  runner.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (/ready|caught/.test(text)) runner.kill('SIGTERM');
    written += text;
  });
  await once(runner, 'close');
  expect(written.trim().split('\n')).toEqual([
    ...['ready', 'caught', 'cleared'],
    JSON.stringify({ exitCode: 3, isInterrupted: true }),
  ]);
});
