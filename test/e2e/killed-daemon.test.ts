// What kill -9 leaves behind: of a daemon in the middle of a run, and of the store under a living daemon.
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';
import { penstock } from '../support/penstock-process.ts';
import { completeRun, shopOver } from '../support/shop.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const PEOPLE = 20_000;
const SLOW = 180_000;

/** Where the cluster of a home lies. */
function clusterOf(home: string): string {
  const { folder } = JSON.parse(readFileSync(join(home, 'store.json'), 'utf8')) as { folder: string };
  return join(folder, 'data');
}

const serverOf = (home: string): number =>
  Number(readFileSync(join(clusterOf(home), 'postmaster.pid'), 'utf8').split('\n')[0]);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function expectEverybody(installation: Installation): Promise<void> {
  await using store = await installation.openStore();
  const people = BigInt(PEOPLE - PEOPLE / 100);
  const [profiles] = await store.query('SELECT count(*) AS profiles, count(DISTINCT mpid) AS mpids FROM profiles');
  expect(profiles).toEqual({ profiles: people, mpids: people });
  const [owners] = await store.query('SELECT count(*) AS keys, count(DISTINCT mpid) AS mpids FROM profile_identities');
  expect(owners).toEqual({ keys: people, mpids: people });
  const [failed] = await store.query('SELECT count(*) AS records, count(DISTINCT row) AS rows FROM failed_records');
  expect(failed).toEqual({ records: BigInt(PEOPLE / 100), rows: BigInt(PEOPLE / 100) });
}

test(
  'a daemon that is killed in the middle of a run: the next one takes store and run over, nothing is missing or double',
  async () => {
    await using home = await temporaryHome();
    // small chunks, so that there is a middle
    const options = { home: home.path, environment: { PENSTOCK_CHUNK_ROWS: '500' } };
    const installation = await install(options);
    const { daemon, api } = await installation.serve();
    const shop = shopOver(api, installation.folder);

    // while it lives it keeps another one out
    const [{ code, err }, pipeline] = await Promise.all([penstock(['serve'], options), shop.pipeline('all', PEOPLE)]);
    expect(code).toBe(2);
    expect(err).toMatch(new RegExp(`^Another Penstock daemon \\(pid ${daemon.pid}\\) uses .*PENSTOCK_HOME.*\\n$`));

    const run = await shop.trigger(pipeline);
    await shop.untilMidway(pipeline, run);
    const server = serverOf(home.path);
    expect(await daemon.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    expect(isAlive(server)).toBe(true);

    await using next = await installation.serve();
    expect(isAlive(server)).toBe(false);
    expect(next.daemon.log()).toContain('store.orphan_stopped');
    const again = shopOver(next.api, installation.folder);
    expect(await again.untilOver(pipeline, run)).toMatchObject(completeRun(PEOPLE));
    expect(await again.runs(pipeline)).toHaveLength(1);
    await expectEverybody(installation);
  },
  SLOW,
);

test(
  'a store that dies under a living daemon: not ready until it is back, and then the work goes on',
  async () => {
    await using home = await temporaryHome();
    const installation = await install({ home: home.path });
    await using served = await installation.serve();
    const shop = shopOver(served.api, installation.folder);
    const pipeline = await shop.pipeline('few', 100);
    const statusOf = async (path: string) => (await fetch(`${served.daemon.url}${path}`)).status;
    expect(await statusOf('/readyz')).toBe(200);

    // with its data out of the way it cannot come back before anybody has looked
    const server = serverOf(home.path);
    const data = clusterOf(home.path);
    renameSync(data, `${data}.away`);
    process.kill(server, 'SIGKILL');
    await until(async () => (await statusOf('/readyz')) === 503, 30_000);
    expect(await statusOf('/healthz')).toBe(200);
    renameSync(`${data}.away`, data);
    await until(async () => (await statusOf('/readyz')) === 200, 60_000);
    expect(served.daemon.log()).toContain('store.server_restarted');

    expect(await shop.untilOver(pipeline, await shop.trigger(pipeline))).toMatchObject(completeRun(100));
  },
  SLOW,
);
