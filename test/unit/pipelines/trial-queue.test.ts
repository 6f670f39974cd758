// Previews, dry runs, validations and connection tests wait in one line for each workspace, in front of one for the daemon.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Clock, workspaceId } from '../../../src/kernel/index.ts';
import { createTrialQueue } from '../../../src/pipelines/connections/trial-queue.ts';

const NEVER = new AbortController().signal;
const [OURS, THEIRS] = [1n, 2n];

/** Creates a clock on which a sleep ends when its time was advanced. */
function sleepyClock(): Clock & { advance(ms: number): void } {
  let nowMs = 0;
  const sleepers: { readonly endMs: number; readonly wake: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        sleepers.push({ endMs: nowMs + ms, wake });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
    advance(ms) {
      nowMs += ms;
      for (const { endMs, wake } of sleepers) if (endMs <= nowMs) wake();
    },
  };
}

/** Creates a line whose trials all end together. */
function line(perMinute = 100_000) {
  const clock = sleepyClock();
  const runTrial = createTrialQueue({ clock, perMinute });
  const open = Promise.withResolvers<string>();
  const started: bigint[] = [];
  const ask = (workspace: bigint, signal: AbortSignal = NEVER) =>
    runTrial({ workspaceId: workspaceId(workspace), signal }, () => {
      started.push(workspace);
      return open.promise;
    });
  const many = (workspace: bigint, count: number) => Array.from({ length: count }, () => ask(workspace));
  return { clock, ask, many, started, open };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the line of trials', () => {
  test('lets four of a workspace in, the fifth waits, and another workspace is served meanwhile', async () => {
    const { many, ask, started, open } = line();
    const ours = many(OURS, 5);
    const theirs = ask(THEIRS);
    await settled();
    expect(started).toEqual([OURS, OURS, OURS, OURS, THEIRS]);
    open.resolve('ended');
    expect(new Set(await Promise.all([...ours, theirs]))).toEqual(new Set(['ended']));
    expect(started).toHaveLength(6);
  });

  test('lets twelve of all workspaces in', async () => {
    const { many, started, open } = line();
    const asked = [1n, 2n, 3n, 4n].flatMap((id) => many(id, 4));
    await settled();
    expect(started).toHaveLength(12);
    open.resolve('ended');
    await Promise.all(asked);
    expect(started).toHaveLength(16);
  });

  test('refuses a workspace of which sixteen wait, and nobody else', async () => {
    const { many, ask, started, open } = line();
    const ours = many(OURS, 20);
    await expect(ask(OURS)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 5,
      message: expect.stringMatching(/^16 calls of this workspace wait already/),
    });
    const theirs = ask(THEIRS);
    await settled();
    expect(started).toContain(THEIRS);
    open.resolve('ended');
    await Promise.all([...ours, theirs]);
  });

  test('refuses everybody while sixty-four wait', async () => {
    const { many, ask, open } = line();
    const asked = [1n, 2n, 3n, 4n].flatMap((id) => many(id, 19));
    await expect(ask(5n)).rejects.toMatchObject({ message: expect.stringContaining('of all workspaces') });
    open.resolve('ended');
    await Promise.all(asked);
    expect(await ask(5n)).toBe('ended');
  });

  test.each([4, 12])('is left by a caller who disconnects while %i are in progress', async (most) => {
    const { many, ask, started, open } = line();
    const busy = [1n, 2n, 3n].slice(0, most / 4).flatMap((id) => many(id, 4));
    const gone = new AbortController();
    const answer = ask(most === 4 ? OURS : 4n, gone.signal);
    gone.abort(new Error('The caller went away.'));
    await expect(answer).rejects.toThrow('The caller went away.');
    open.resolve('ended');
    await Promise.all(busy);
    await settled();
    expect(started).toHaveLength(most);
  });

  test('does not give away the place of a trial in progress whose caller disconnects', async () => {
    const { many, ask, started, open } = line();
    const gone = new AbortController();
    const asked = [ask(OURS, gone.signal), ...many(OURS, 4)];
    gone.abort(new Error('The caller went away.'));
    await settled();
    expect(started).toHaveLength(4);
    open.resolve('ended');
    await Promise.all(asked);
  });

  test('refuses what waited for 15 seconds, and keeps what is in progress for longer', async () => {
    const { clock, many, ask, open } = line();
    const busy = many(OURS, 4);
    const waiting = ask(OURS);
    await settled();
    clock.advance(14_999);
    await settled();
    expect(await Promise.race([waiting, 'waits'])).toBe('waits');
    clock.advance(1);
    await expect(waiting).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 5 });
    open.resolve('ended');
    expect(await Promise.all(busy)).toHaveLength(4);
  });

  test('frees the place of a trial that fails', async () => {
    const { many, ask, open } = line();
    const failing = many(OURS, 5).map((each) => each.catch(String));
    open.reject(new Error('lost'));
    expect(new Set(await Promise.all(failing))).toEqual(new Set(['Error: lost']));
    await expect(ask(OURS)).rejects.toThrow('lost');
  });
});

describe('the rate', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'setInterval', 'clearInterval', 'clearTimeout'] }),
  );
  afterEach(() => void vi.useRealTimers());

  test('of a workspace delays the next trial, is its own, and is remembered while it is idle', async () => {
    const { clock, ask, started, open } = line(12);
    open.resolve('ended');
    // 12 a minute are 2 in each 10 seconds
    await Promise.all([ask(OURS), ask(OURS)]);
    await ask(THEIRS);
    await vi.advanceTimersByTimeAsync(9_000);
    clock.advance(9_000);
    await ask(3n);
    const next = ask(OURS);
    await vi.advanceTimersByTimeAsync(999);
    expect(started).toEqual([OURS, OURS, THEIRS, 3n]);
    await vi.advanceTimersByTimeAsync(2);
    expect(await next).toBe('ended');
  });

  test('counts a trial from its start, and is not forgotten when it began late', async () => {
    const { clock, many, ask, started, open } = line(60);
    open.resolve('ended');
    const ours = many(OURS, 20);
    clock.advance(10_001);
    await vi.advanceTimersByTimeAsync(10_001);
    await Promise.all([...ours, ask(THEIRS)]);
    const later = many(OURS, 10);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(started.filter((workspace) => workspace === OURS)).toHaveLength(20);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(later);
  });

  test('is met in every minute, not only in those that begin with a window', async () => {
    const { ask, started, open } = line(60);
    open.resolve('ended');
    const leaving = new AbortController();
    await ask(OURS);
    await vi.advanceTimersByTimeAsync(9_900);
    const asked: Promise<unknown>[] = [];
    for (let seconds = 0; seconds < 60; seconds++) {
      while (asked.length < started.length + 15) asked.push(ask(OURS, leaving.signal).catch(() => undefined));
      await vi.advanceTimersByTimeAsync(999);
    }
    expect(started.length - 1).toBeLessThanOrEqual(60);
    leaving.abort(new Error('The caller went away.'));
    await Promise.all(asked);
  });

  test.each([1, 3, 8, 20, 100])('is %i a minute as it was set, however small', async (perMinute) => {
    const { ask, started, open } = line(perMinute);
    open.resolve('ended');
    const leaving = new AbortController();
    const asked: Promise<unknown>[] = [];
    for (let seconds = 0; seconds < 300; seconds++) {
      while (asked.length < started.length + 16) asked.push(ask(OURS, leaving.signal).catch(() => undefined));
      await vi.advanceTimersByTimeAsync(1000);
    }
    // after five minutes, and at most those of one more window
    expect(started.length).toBeGreaterThanOrEqual(5 * perMinute);
    expect(started.length).toBeLessThanOrEqual(5 * perMinute + Math.max(1, perMinute / 6));
    leaving.abort(new Error('The caller went away.'));
    await Promise.all(asked);
  });
});
