import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/kernel/index.ts';
import { attachStore } from '../../src/store/index.ts';
import { bareEnvironment, penstock, startDaemon } from '../support/penstock-process.ts';
import { openShop } from '../support/shop.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const PEOPLE = 20_000;

const folderOf = (home: string): string =>
  (JSON.parse(readFileSync(join(home, 'store.json'), 'utf8')) as { folder: string }).folder;

/** The pid of the embedded server of a home. */
function serverOf(home: string): number {
  return Number(readFileSync(join(folderOf(home), 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a daemon that is killed in the middle of a run: the next one takes store and run over', async () => {
  await using place = await temporaryHome();
  // small chunks, so that there is a middle
  const options = { home: place.path, environment: { PENSTOCK_CHUNK_ROWS: '500' } };

  const first = await startDaemon(options);
  // while it lives it keeps another one out
  const [{ code, err }, shop] = await Promise.all([penstock(['serve'], options), openShop(first, options)]);
  expect(code).toBe(2);
  expect(err).toMatch(
    new RegExp(`^Another Penstock daemon \\(pid ${first.pid}\\) uses the home .*PENSTOCK_HOME.*\\n$`),
  );

  const pipeline = await shop.pipeline('people', PEOPLE);
  const run = await shop.trigger(pipeline);
  await shop.untilMidway(pipeline, run);
  const server = serverOf(place.path);
  await first.end('SIGKILL');
  expect(isAlive(server)).toBe(true);

  await using next = await startDaemon(options);
  expect(isAlive(server)).toBe(false);
  expect(next.log()).toContain('store.orphan_stopped');
  const again = await shop.at(next);
  expect(await again.untilOver(pipeline, run)).toMatchObject({
    ...{ status: 'success', errors: [], type: 'manual' },
    ...{ extracted_records: PEOPLE, successful_records: PEOPLE, failed_records: 0 },
    ...{ deduplicated_records: 0, erased_records: 0 },
  });
  expect(await again.runs(pipeline)).toHaveLength(1);

  const store = await attachStore(readConfig(bareEnvironment(options)), createLog('silent'));
  try {
    const [kept] =
      (await store?.query('SELECT count(*) AS profiles, count(DISTINCT mpid) AS people FROM profiles')) ?? [];
    expect(kept).toEqual({ profiles: BigInt(PEOPLE), people: BigInt(PEOPLE) });
    const [owners] =
      (await store?.query('SELECT count(*) AS keys, count(DISTINCT mpid) AS people FROM profile_identities')) ?? [];
    expect(owners).toEqual({ keys: BigInt(2 * PEOPLE), people: BigInt(PEOPLE) });
  } finally {
    await store?.[Symbol.asyncDispose]();
  }
}, 120_000);

test('a store that dies under a living daemon: not ready until it is back, and then the work goes on', async () => {
  await using place = await temporaryHome();
  const options = { home: place.path };
  await using daemon = await startDaemon(options);
  const shop = await openShop(daemon, options);
  const pipeline = await shop.pipeline('people', 100);
  const answer = async () => {
    const { status, ok } = await fetch(`${daemon.url}/readyz`);
    return { status, ok };
  };
  expect(await answer()).toEqual({ status: 200, ok: true });

  // with its data out of the way it cannot come back before anybody has looked
  const server = serverOf(place.path);
  const data = join(folderOf(place.path), 'data');
  renameSync(data, `${data}.away`);
  process.kill(server, 'SIGKILL');
  await until(async () => (await answer()).status === 503, 30_000);
  expect((await fetch(`${daemon.url}/healthz`)).ok).toBe(true);
  renameSync(`${data}.away`, data);
  await until(async () => (await answer()).ok, 30_000);
  expect(daemon.log()).toContain('store.server_restarted');

  const { status } = await shop.untilOver(pipeline, await shop.trigger(pipeline));
  expect(status).toBe('success');
}, 120_000);
