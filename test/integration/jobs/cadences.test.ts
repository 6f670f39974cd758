import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createJobs, type Jobs } from '../../../src/jobs/index.ts';
import { type Clock, createLog, systemClock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const HOURLY = '0 * * * *';
const log = createLog('silent');
const at = (text: string) => Date.parse(`2026-03-10T${text}Z`);

/** A clock that stands where it is put, and sleeps briefly. */
class HandClock implements Clock {
  #nowMs: number;
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }
  nowMs(): number {
    return this.#nowMs;
  }
  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }
  sleep(_delayMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(10, signal);
  }
}

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(() => store.query('DELETE FROM cadences'));
// the job of a daemon that went before it could say that it was done would be run again by the next test's
afterEach(() => store.query('DELETE FROM pgboss.job'));

interface Daemon extends AsyncDisposable {
  readonly ran: string[];
}

const cronOf = async () => {
  const [row] = await store.query<{ cron: string; due: Date }>('SELECT cron, next_due_at AS due FROM cadences');
  return row;
};
const dueText = async () => (await cronOf())?.due.toISOString().slice(11, 19);

async function daemon(
  clock: Clock,
  handler: (jobs: Jobs) => Promise<void> = async () => undefined,
  cron = HOURLY,
): Promise<Daemon> {
  const jobs = createJobs({ store, clock, log });
  const ran: string[] = [];
  await jobs.cadence('groups', cron, async (dueAt) => {
    ran.push(dueAt.toISOString().slice(11, 19));
    await handler(jobs);
  });
  await jobs.start();
  return { ran, [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose]() };
}

/** The job of an occurrence is over. Until then the next occurrence would be left out: a handler never runs beside itself. */
const settled = () =>
  until(async () => {
    const live = `SELECT FROM pgboss.job WHERE name = 'cadences' AND state < 'completed'`;
    return (await store.query(live)).length === 0;
  });

/** Lets every daemon look at least once more at the clock as it stands. */
const polls = () => systemClock.sleep(150);

describe('a cadence', () => {
  test('runs when it falls due, and not before', async () => {
    const clock = new HandClock(at('11:30:00'));
    await using only = await daemon(clock);
    expect(await dueText()).toBe('12:00:00');
    await polls();
    expect(only.ran).toEqual([]);
    clock.set(at('12:00:00'));
    await until(() => only.ran.length > 0);
    await polls();
    expect(only.ran).toEqual(['12:00:00']);
    expect(await dueText()).toBe('13:00:00');
  });

  test('runs once however many daemons there are', async () => {
    const clock = new HandClock(at('11:30:00'));
    await using first = await daemon(clock);
    await using second = await daemon(clock);
    await using third = await daemon(clock);
    for (const hour of ['12', '13', '14']) {
      clock.set(at(`${hour}:00:00`));
      await until(() => [first, second, third].some(({ ran }) => ran.includes(`${hour}:00:00`)));
      await settled();
    }
    await polls();
    expect([...first.ran, ...second.ran, ...third.ran].sort()).toEqual(['12:00:00', '13:00:00', '14:00:00']);
  });

  test('runs once after downtime', async () => {
    await (await daemon(new HandClock(at('01:30:00'))))[Symbol.asyncDispose]();
    await using later = await daemon(new HandClock(at('11:30:00')));
    await until(() => later.ran.length > 0);
    await polls();
    expect(later.ran).toEqual(['02:00:00']);
    expect(await dueText()).toBe('12:00:00');
  });

  test('runs once where the clock jumps ahead, not again where it goes back a little, and is not lost', async () => {
    const clock = new HandClock(at('11:59:59'));
    await using only = await daemon(clock);
    clock.set(at('12:00:01'));
    await until(() => only.ran.length === 1);
    await settled();
    clock.set(at('11:59:58'));
    await polls();
    clock.set(at('12:00:02'));
    await polls();
    expect(only.ran).toEqual(['12:00:00']);
    // a clock that was a day ahead for a moment
    clock.set(at('12:30:00') + 86_400_000);
    await until(() => only.ran.length === 2);
    await settled();
    clock.set(at('12:31:00'));
    await until(async () => (await cronOf())?.due.getTime() === at('13:00:00'));
    clock.set(at('13:00:00'));
    await until(() => only.ran.length === 3);
    expect(only.ran).toEqual(['12:00:00', '13:00:00', '13:00:00']);
  });

  test('whose handler fails runs again until it succeeds', async () => {
    const clock = new HandClock(at('11:30:00'));
    let failures = 1;
    await using only = await daemon(clock, async () => {
      if (failures-- > 0) throw new Error('not yet');
    });
    clock.set(at('12:00:00'));
    await until(() => only.ran.length === 2);
    expect(only.ran).toEqual(['12:00:00', '12:00:00']);
  });

  test('that takes hours keeps no other one waiting, however many do', async () => {
    const clock = new HandClock(at('11:30:00'));
    await using jobs = createJobs({ store, clock, log });
    const ended = new AbortController();
    const forHours = () => new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
    for (const name of ['expire', 'care', 'callbacks']) await jobs.cadence(name, HOURLY, forHours);
    let swept = 0;
    await jobs.cadence('sweep', '0,1 * * * *', async () => {
      swept += 1;
    });
    await jobs.start();
    clock.set(at('12:00:00'));
    await until(() => swept === 1);
    await until(async () => (await store.query("SELECT FROM pgboss.job WHERE state = 'active'")).length === 3);
    clock.set(at('12:01:00'));
    await until(() => swept === 2);
    ended.abort();
    await settled();
  });

  test('takes the cron of a new version, and keeps its due time under the old one', async () => {
    const clock = new HandClock(at('11:30:00'));
    await (await daemon(clock))[Symbol.asyncDispose]();
    clock.set(at('11:40:00'));
    await (await daemon(clock))[Symbol.asyncDispose]();
    expect(await cronOf()).toMatchObject({ cron: HOURLY, due: new Date(at('12:00:00')) });
    await (await daemon(clock, undefined, '45 * * * *'))[Symbol.asyncDispose]();
    expect(await cronOf()).toMatchObject({ cron: '45 * * * *', due: new Date(at('11:45:00')) });
  });
});
