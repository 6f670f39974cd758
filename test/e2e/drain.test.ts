import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { holdRuns } from '../support/crashes/held-runs.ts';
import { bareEnvironment, spawnPenstock } from '../support/crashes/penstock-process.ts';
import { commandLine } from '../support/runner/command-line.ts';
import { completeRun, type RunAnswer, shopOver } from '../support/runs/shop.ts';
import { recordOf } from '../support/stores/embedded-home.ts';
import { install } from '../support/stores/installation.ts';
import { temporaryHome } from '../support/stores/temporary-home.ts';

const PEOPLE = 8_000;

test('SIGTERM in the middle of a run gives it back to the queue, and the next start finishes it', async () => {
  await using home = await temporaryHome();
  const options = { home: home.path, environment: { PENSTOCK_CHUNK_ROWS: '200' } };
  const installation = await install(options);
  const { daemon, api } = await installation.serve();
  // nothing that the daemon writes is readable for other users of the machine
  if (process.platform === 'linux') {
    expect(readFileSync(`/proc/${daemon.pid}/status`, 'utf8')).toMatch(/^Umask:\s+0077$/m);
  }
  const shop = shopOver(api, installation.folder);
  const pipeline = await shop.pipeline('all', PEOPLE);
  const store = await installation.openStore();
  const held = await holdRuns({ store }, PEOPLE / 2);
  const run = await shop.trigger(pipeline);
  await shop.untilMidway(pipeline, run);

  let ended: Awaited<ReturnType<typeof daemon.end>> | undefined;
  void daemon.end('SIGTERM').then((end) => {
    ended = end;
  });
  await until(() => daemon.log().includes('SIGTERM received'));
  await held.release({ store });
  await store[Symbol.asyncDispose]();
  const { code, err } = await until(() => ended);
  expect(code).toBe(0);
  const [, wayDown = 'no word of the signal'] = err.split('SIGTERM received: draining.');
  expect(wayDown).not.toBe('no word of the signal');
  // nothing of it is worth a warning
  const lines = wayDown.split('\n').filter((line) => line.startsWith('{'));
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  expect(warnings.map(({ msg }) => msg)).toEqual([]);

  // a command starts the store for itself and stops it again
  const [queued] = await commandLine(bareEnvironment(options)).json<readonly RunAnswer[]>('pipeline', 'runs', pipeline);
  expect(queued).toMatchObject({ id: Number(run), status: 'queued', ended_on: null });
  const { folder } = await recordOf(home.path);
  expect(existsSync(join(folder, 'data', 'postmaster.pid'))).toBe(false);

  await using next = await installation.serve();
  const finished = await shopOver(next.api, installation.folder).untilOver(pipeline, run);
  expect(finished).toMatchObject(completeRun(PEOPLE));
}, 900_000);

test('a daemon whose log nobody reads any more drains all the same', async () => {
  await using home = await temporaryHome();
  const options = { home: home.path };
  const { child, written, ended } = spawnPenstock(['serve'], options);
  await until(() => written.err.includes('listens on'), 120_000);
  const { folder } = await recordOf(home.path);
  // what a closed terminal or a killed reader leaves
  child.stderr?.destroy();
  child.kill('SIGHUP');
  expect(await ended).toMatchObject({ code: 0, signal: null });
  expect(existsSync(join(folder, 'data', 'postmaster.pid'))).toBe(false);
});
