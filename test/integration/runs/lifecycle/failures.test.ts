import { describe, expect, test } from 'vitest';
import { AppError, createLog } from '../../../../src/kernel/index.ts';
import { createPlaces } from '../../../../src/runs/lifecycle/places.ts';
import { workRun } from '../../../../src/runs/lifecycle/work-run.ts';
import { people } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, readRun, WORKSPACE } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();

test('a passing error is tried again after a time that doubles from ten seconds to a quarter of an hour', async () => {
  await addPipeline(here.store);
  here.warehouse.failing = { at: 'open', error: new AppError('WAREHOUSE_UNREACHABLE', 'Nobody answers.') };
  const runId = await here.request();
  const seconds: number[] = [];
  for (let attempts = 1; attempts <= 9; attempts++) {
    const run = await here.attempt(undefined, runId);
    expect(run).toMatchObject({ status: 'retrying', attempts });
    const retryAtMs = run.retryAt?.getTime() ?? 0;
    seconds.push((retryAtMs - here.clock.nowMs()) / 1000);
    // not a moment earlier
    here.clock.set(retryAtMs - 1);
    await expect(here.claim(runId)).rejects.toThrow('cannot be claimed');
    here.clock.set(retryAtMs);
  }
  // between a tenth and the whole of the ceiling, at random: in tests a half, so 0.55 of 10, 20, 40 … 900
  expect(seconds).toEqual([5.5, 11, 22, 44, 88, 176, 352, 495, 495]);
});

test('a failed delivery does not wait for the warehouse, and is what the run is tried again for', async () => {
  await addPipeline(here.store);
  here.warehouse.rows = people(6);
  here.driver.onDelivering = async () => {
    throw new AppError('STORE_UNAVAILABLE', 'The store went away.');
  };
  // the next chunk comes when nobody wants it any more, as one of a slow statement does
  const run = await here.attempt(async (_chunk, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new AppError('CANCELLED', 'The statement was cancelled.');
  });
  expect(run).toMatchObject({ status: 'retrying', errors: [{ message: 'The store went away.' }] });
  expect(here.warehouse.sessions).toBe(0);
});

describe('the log', () => {
  /** Works on a run whose first delivery ends by `deliver`. Returns the lines of its interruption, and its status after it. */
  async function interrupt(deliver: (runId: bigint, job: AbortController) => Promise<never>) {
    await addPipeline(here.store);
    here.warehouse.rows = people(6);
    const runId = await here.request();
    const job = new AbortController();
    here.driver.onDelivering = () => deliver(runId, job);
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const { signal } = job;
    const key = `${WORKSPACE}/${runId}`;
    const complete = async () => undefined;
    await workRun({ ...here.driver.deps, log }, createPlaces(2), { id: '', queue: 'runs', key, signal, complete });
    const { status } = await readRun(here.store, runId);
    return { status, said: lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'run.interrupted') };
  }

  /** What a worker logs of a run whose delivery ends with this. */
  async function logOf(thrown: unknown): Promise<Readonly<Record<string, unknown>>> {
    const { status, said } = await interrupt(() => Promise.reject(thrown));
    expect(status).toBe('failed');
    expect(said).toHaveLength(1);
    return said[0];
  }

  test('has the stack of a bug', async () => {
    const line = await logOf(new TypeError('Nobody expected this.'));
    expect(line).toMatchObject({ level: 50, pipeline: 'people', code: 'INTERNAL', reason: 'Nobody expected this.' });
    expect(line.err).toMatchObject({ stack: expect.stringContaining('failures.test.ts') });
  });

  test('has the message of what a customer has to mend, and no stack', async () => {
    const line = await logOf(new AppError('WAREHOUSE_DATA', 'Division by zero.'));
    expect(line).toMatchObject({ level: 40, code: 'WAREHOUSE_DATA', reason: 'Division by zero.' });
    expect(line).not.toHaveProperty('err');
  });

  test('has the lost lease of a worker that noticed the end of its job first', async () => {
    const { status, said } = await interrupt(async (runId, job) => {
      await here.claim(runId);
      job.abort(new AppError('CANCELLED', 'The job is gone.'));
      throw job.signal.reason;
    });
    expect(status).toBe('running');
    expect(said).toMatchObject([
      { level: 30, code: 'CANCELLED' },
      { level: 30, code: 'LEASE_LOST', reason: expect.stringContaining('taken over by another worker') },
    ]);
  });

  test.each([
    ['a connection that ended meanwhile', new AppError('STORE_UNAVAILABLE', 'The store went away.'), 40],
    ['a bug', new TypeError('Nobody expected this.'), 50],
  ])('has the lost lease of a worker that met %s first', async (_what, thrown, level) => {
    const { status, said } = await interrupt(async (runId) => {
      await here.claim(runId);
      throw thrown;
    });
    expect(status).toBe('running');
    expect(said).toMatchObject([{ level }, { level: 30, code: 'LEASE_LOST' }]);
  });

  test('has a lease that was lost and nothing else once', async () => {
    const lost = new AppError('LEASE_LOST', 'Another worker has it.');
    const { said } = await interrupt(() => Promise.reject(lost));
    expect(said).toMatchObject([{ code: 'LEASE_LOST' }]);
  });
});
