// The worker of requests over the real queue: two daemons on one store.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { registerRequestWorker } from '../../../src/dsr/work/register-request-worker.ts';
import { createJobs, type Jobs } from '../../../src/jobs/index.ts';
import { createLog } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { insertErasure, readRequest, workDeps } from '../../support/apis/dsr-work.ts';
import { type HandClock, handClock } from '../../support/clocks/hand-clock.ts';
import { until } from '../../support/clocks/until.ts';
import { deliver, person } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const DAY_MS = 86_400_000;
const EACH_MINUTE = '* * * * *';

async function startDaemon(store: Store, clock: HandClock, settings: { works?: boolean; accessCron?: string } = {}) {
  const jobs = createJobs({ store, clock, log: createLog('silent') });
  const { works = true, accessCron = EACH_MINUTE } = settings;
  await registerRequestWorker({ ...workDeps(store, clock), jobs }, { works, accessCron });
  await jobs.start();
  return jobs;
}

async function drain(...daemons: readonly Jobs[]): Promise<void> {
  await Promise.all(daemons.map((jobs) => jobs.drain(10_000)));
}

test('requests that are due are worked on once, whichever daemon is first', async () => {
  await using store = await openTestStore();
  const clock = handClock();
  const daemons = await Promise.all([startDaemon(store, clock), startDaemon(store, clock)]);
  const customers = Array.from({ length: 6 }, () => randomUUID());
  await deliver(
    store,
    customers.map((customer) => person({ customer_id: customer })),
  );
  const startsOn = new Date(clock.nowMs() + 7 * DAY_MS);
  const requests = await Promise.all(
    customers.map((value) =>
      insertErasure(
        store,
        { identities: [{ type: 'customer_id', value }] },
        { status: 'pending', startsOn, nextAttemptOn: startsOn },
      ),
    ),
  );
  const rows = () => Promise.all(requests.map((request) => readRequest(store, request)));
  clock.advance(7 * DAY_MS);
  await until(async () => {
    // further passes, as time goes by
    clock.advance(1_000);
    return (await rows()).every(({ status }) => status === 'completed');
  });
  for (const row of await rows()) {
    expect(row).toMatchObject({ attempts: 1, last_error: null });
    expect(JSON.parse(String(row.counts)).identity).toMatchObject({ profiles: 1 });
  }
  await drain(...daemons);
}, 120_000);

test('access requests begin when the cron says so, and a daemon without workers leaves them to others', async () => {
  await using store = await openTestStore();
  const clock = handClock(Date.UTC(2026, 0, 15, 12, 0, 30));
  const idle = await startDaemon(store, clock, { works: false, accessCron: '0 18 * * *' });
  const startsOn = new Date(clock.nowMs());
  const given = { type: 'access', status: 'pending', startsOn, nextAttemptOn: startsOn } as const;
  const request = await insertRequest(store, given);
  clock.advance(3_600_000);
  await until(async () => {
    const [cadence] = await store.query<{ at: Date }>(
      "SELECT next_due_at AS at FROM cadences WHERE name = 'dsr-requests'",
    );
    return cadence !== undefined && cadence.at.getTime() > clock.nowMs();
  });
  expect(await readRequest(store, request)).toMatchObject({
    status: 'pending',
    next_attempt_on: '2026-01-15T12:00:30+00:00',
  });
  clock.set(Date.UTC(2026, 0, 15, 18, 0, 1));
  await until(async () => (await readRequest(store, request)).next_attempt_on !== '2026-01-15T12:00:30+00:00');
  expect(await readRequest(store, request)).toMatchObject({ status: 'pending', attempts: 0 });
  const worker = await startDaemon(store, clock, { accessCron: '0 18 * * *' });
  await until(async () => (await readRequest(store, request)).status === 'completed');
  await drain(idle, worker);
}, 120_000);
