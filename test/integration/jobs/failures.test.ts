import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createJobs, type Jobs } from '../../../src/jobs/index.ts';
import { createLog, Secret, systemClock } from '../../../src/kernel/index.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openLossyProxy } from '../../support/crashes/lossy-proxy.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const QUEUE = 'runs';
/** An outage that swallows the completion of a job makes it run once more: overdue heartbeat and retry delay, a quarter of a minute. */
const PATIENCE_MS = 120_000;
const log = createLog('silent');
const makeJobs = (store: Store): Jobs => createJobs({ store, clock: systemClock, log });
const enqueue = (store: Store, jobs: Jobs, key: string) => store.transaction((tx) => jobs.enqueue(tx, QUEUE, { key }));

test('the job of a killed process goes to another worker once its heartbeat is overdue', async () => {
  await using store = await openTestStore();
  await using jobs = makeJobs(store);
  await jobs.start();
  const script = join(import.meta.dirname, '..', '..', 'support', 'stores', 'stuck-worker.ts');
  const child = spawn(process.execPath, [script, store.databaseUrl, QUEUE], { stdio: ['ignore', 'pipe', 'inherit'] });
  await enqueue(store, jobs, '1/run');
  const [taken] = (await once(child.stdout, 'data')) as [Buffer];
  expect(taken.toString().trim()).toBe('1/run');
  child.kill('SIGKILL');
  await once(child, 'close');

  const seen: string[] = [];
  await jobs.work(QUEUE, { concurrency: 1 }, async ({ key }) => {
    seen.push(key);
  });
  await until(() => seen.length > 0, PATIENCE_MS);
  expect(seen).toEqual(['1/run']);
}, 600_000);

test('the job of a killed process goes on at once where no other daemon can be working on it', async () => {
  await using store = await openTestStore();
  await using jobs = makeJobs(store);
  await jobs.start({ isAlone: true });
  await enqueue(store, jobs, '1/run');
  // its worker gave a sign of life that is not overdue for an hour
  const taken = `UPDATE pgboss.job SET state = 'active', started_on = $1, heartbeat_on = $1 WHERE name = $2`;
  await store.execute(taken, [new Date(Date.now() + 3_600_000), QUEUE]);

  await using next = makeJobs(store);
  const seen: string[] = [];
  await next.work(QUEUE, { concurrency: 1 }, async ({ key }) => {
    seen.push(key);
  });
  await next.start({ isAlone: true });
  await until(() => seen.length > 0);
  expect(seen).toEqual(['1/run']);
});

test('a store that goes away and comes back is survived: jobs run on, the listener too', async () => {
  await using direct = await openTestStore();
  const target = new URL(direct.databaseUrl);
  await using proxy = await openLossyProxy({ host: target.hostname, port: Number(target.port) });
  const url = new URL(direct.databaseUrl);
  url.host = `127.0.0.1:${proxy.port}`;
  await using store = openStore({ databaseUrl: new Secret(url.href), poolSize: 4, log });
  await using jobs = makeJobs(store);
  const seen: string[] = [];
  await jobs.work(QUEUE, { concurrency: 2 }, async ({ key, signal }) => {
    seen.push(`start ${key}`);
    if (key === '1/long') await until(() => seen.includes('1/release') || signal.aborted, 500_000);
    seen.push(`end ${key}`);
  });
  await jobs.start();
  await enqueue(store, jobs, '1/long');
  await until(() => seen.includes('start 1/long'));

  for (let outage = 0; outage < 3; outage += 1) {
    proxy.cut();
    await expect(enqueue(store, jobs, `1/lost ${outage}`)).rejects.toMatchObject({ disposition: 'retry' });
    await systemClock.sleep(500);
    proxy.repair();
    await until(
      () =>
        enqueue(store, jobs, `1/${outage}`).then(
          () => true,
          () => false,
        ),
      PATIENCE_MS,
    );
    await until(() => seen.includes(`end 1/${outage}`), PATIENCE_MS);
  }
  seen.push('1/release');
  await until(() => seen.includes('end 1/long'), PATIENCE_MS);
  expect(seen.filter((line) => line === 'start 1/long')).toHaveLength(1);
  await until(async () => {
    const rows = await direct.query(`SELECT FROM pgboss.job WHERE name = $1 AND state <> 'completed'`, [QUEUE]);
    return rows.length === 0;
  }, PATIENCE_MS);
}, 600_000);

test('of a handler that fails the log and the queue keep code and frames, and no word of its error', async () => {
  await using store = await openTestStore();
  const lines: string[] = [];
  await using jobs = createJobs({
    ...{ store, clock: systemClock },
    log: createLog('warn', { write: (line) => lines.push(line) }),
  });
  await jobs.work(QUEUE, { concurrency: 1 }, async () => {
    // its DETAIL quotes the row
    await store.execute("INSERT INTO cadences (name, cron, next_due_at) VALUES ('ann@example.org', 'x', NULL)");
  });
  await jobs.start();
  await enqueue(store, jobs, '1/run');
  const output = async () =>
    (await store.query<{ output: string }>('SELECT output::text FROM pgboss.job WHERE output IS NOT NULL'))[0]?.output;
  await until(async () => (await output()) !== undefined, PATIENCE_MS);
  const failed = lines.filter((line) => line.includes('job.failed'));
  for (const told of [await output(), failed[0]]) {
    expect(told).toContain('STORE_DATA');
    expect(told).toContain('failures.test.ts');
    expect(told).not.toMatch(/ann@example|null value|Failing row/);
  }
  expect(lines.join()).not.toContain('ann@example');
}, 600_000);
