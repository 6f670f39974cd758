// Forces that drive a request: passes, attempts, backoff, several daemons, clocks that jump, and what the operator sees of it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changesOfResource } from '../../../src/access/index.ts';
import { listStuckRequests } from '../../../src/dsr/list-stuck-requests.ts';
import type { Request } from '../../../src/dsr/request.ts';
import type { RequestType } from '../../../src/dsr/request-type.ts';
import { retryRequest } from '../../../src/dsr/retry-request.ts';
import { enqueueDueRequests } from '../../../src/dsr/work/enqueue-due-requests.ts';
import { executeRequest } from '../../../src/dsr/work/execute-request.ts';
import { AppError } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { addWorkspace } from '../../support/apis/add-workspace.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { insertErasure, keyOf, readRequest, work, workDeps } from '../../support/apis/dsr-work.ts';
import { type FakeClock, fakeClock } from '../../support/clocks/fake-clock.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
  await addWorkspace(store, workspaceId);
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  clock = fakeClock();
  await store.execute('DELETE FROM dsr_requests');
});

const now = (afterMs = 0) => new Date(clock.nowMs() + afterMs);

function jobs() {
  const keys: string[] = [];
  return {
    keys,
    jobs: { enqueue: async (_tx: unknown, _queue: string, { key }: { key: string }) => void keys.push(key) },
  };
}

/** A pass of a daemon; answers the ids of the requests that it made jobs for. */
async function pass(starts: readonly RequestType[] = ['access', 'portability', 'erasure']): Promise<readonly string[]> {
  const { keys, jobs: queue } = jobs();
  const waking = { nowMs: clock.nowMs(), signal: new AbortController().signal, starts };
  await enqueueDueRequests(store, queue as never, waking);
  return keys.map((key) => key.split('/')[1] ?? '');
}

const pending = (startsOn: Date, given: Partial<Parameters<typeof insertRequest>[1]> = {}) =>
  insertRequest(store, { status: 'pending', type: 'erasure', startsOn, nextAttemptOn: startsOn, ...given });

describe('a pass', () => {
  it('wakes what is due and nothing else', async () => {
    const due = await pending(now());
    await pending(now(1));
    await insertRequest(store, { status: 'completed', nextAttemptOn: null });
    await insertRequest(store, { status: 'cancelled', nextAttemptOn: null });
    expect(await pass()).toEqual([due.id]);
  });

  it('wakes all that fell due while no daemon was there, more than one look finds', async () => {
    for (let count = 0; count < 205; count++) await pending(now(count * MINUTE_MS));
    clock.advance(7 * DAY_MS);
    expect(new Set(await pass()).size).toBe(205);
  });

  it('makes one job, however many daemons look at once, and another one when that has led to nothing', async () => {
    const request = await pending(now());
    const woken = await Promise.all([pass(), pass(), pass()]);
    expect(woken.flat()).toEqual([request.id]);
    clock.advance(MINUTE_MS - 1);
    expect(await pass()).toEqual([]);
    clock.advance(1);
    expect(await pass()).toEqual([request.id]);
  });

  it('starts only the kinds whose time it is, and goes on with what is in progress', async () => {
    await pending(now(), { type: 'access' });
    const erasure = await pending(now());
    const going = await insertRequest(store, { type: 'access', status: 'in_progress', nextAttemptOn: now() });
    expect((await pass(['erasure'])).toSorted()).toEqual([erasure.id, going.id].toSorted());
  });

  it('goes on with an attempt that was put off by a clock which has been put back since', async () => {
    const request = await insertRequest(store, { status: 'in_progress', nextAttemptOn: now(30 * DAY_MS) });
    const waiting = await insertRequest(store, { status: 'in_progress', nextAttemptOn: now(HOUR_MS) });
    expect(await pass()).toEqual([request.id]);
    expect(waiting.status).toBe('in_progress');
  });

  it('starts on its day what a clock that has been put back since had woken too early', async () => {
    const startsOn = now(7 * DAY_MS);
    const person = { identities: [{ type: 'email', value: 'ann@example.org' }] } as const;
    const request = await insertErasure(store, person, { status: 'pending', startsOn, nextAttemptOn: startsOn });
    clock.advance(30 * DAY_MS);
    expect(await pass()).toEqual([request.id]);
    clock.advance(-30 * DAY_MS);
    await work(workDeps(store, clock), request);
    expect(await pass()).toEqual([]);
    clock.advance(7 * DAY_MS);
    expect(await pass()).toEqual([request.id]);
    await work(workDeps(store, clock), request);
    expect(await readRequest(store, request)).toMatchObject({ status: 'completed' });
  });

  it('starts an access request that a clock ahead received, and leaves such an erasure its waiting period', async () => {
    clock.advance(30 * DAY_MS);
    const received = { receivedOn: now(), startsOn: now() };
    const access = await pending(now(), { type: 'access', ...received });
    await pending(now(7 * DAY_MS), { receivedOn: now() });
    clock.advance(-30 * DAY_MS);
    expect(await pass()).toEqual([access.id]);
    await work(workDeps(store, clock), access);
    expect(await readRequest(store, access)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(await pass()).toEqual([]);
  });

  it('gives the others their times again, and starts what is due, beside requests that the store refuses to write', async () => {
    const startsOn = now(7 * DAY_MS);
    const ahead = (afterMs: number) => pending(startsOn, { nextAttemptOn: now(30 * DAY_MS + afterMs) });
    const refused: Request[] = [];
    // a page of them alone, found before the others
    for (let count = 0; count < 199; count++) refused.push(await ahead(0));
    const [sound, other] = [await ahead(1), await ahead(2)];
    const due = await pending(now());
    await store.query(
      `ALTER TABLE dsr_requests ADD CONSTRAINT refused
       CHECK (next_attempt_on > starts_on OR id <> ALL ('{${refused.map(({ id }) => id).join()}}')) NOT VALID`,
    );
    try {
      const { keys, jobs: queue } = jobs();
      const waking = { nowMs: clock.nowMs(), signal: new AbortController().signal, starts: ['erasure'] } as const;
      await expect(enqueueDueRequests(store, queue as never, waking)).rejects.toThrow('refused');
      expect(keys.map((key) => key.split('/')[1])).toEqual([due.id]);
    } finally {
      await store.query('ALTER TABLE dsr_requests DROP CONSTRAINT refused');
    }
    for (const { id } of [sound, other]) {
      const row = await readRequest(store, { workspaceId, id });
      expect(row.next_attempt_on).toBe(row.starts_on);
    }
  });
});

describe('an attempt', () => {
  it('does nothing with a request that is not due, cancelled or over', async () => {
    const early = await pending(now(1));
    await work(workDeps(store, clock), early);
    expect(await readRequest(store, early)).toMatchObject({ status: 'pending', attempts: 0 });
    for (const status of ['cancelled', 'completed'] as const) {
      const over = await insertRequest(store, { status, type: 'erasure' });
      await work(workDeps(store, clock), over);
      expect(await readRequest(store, over)).toMatchObject({ status, attempts: 0 });
    }
  });

  it('that fails leaves its request in progress, says why without personal data, and comes again later and later', async () => {
    const request = await insertErasure(store, { identities: [{ type: 'email', value: 'ann@example.com' }] });
    const settingsOf = async () => {
      throw new AppError('STORE_UNAVAILABLE', 'no route to ann@example.com');
    };
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      await work(workDeps(store, clock, { settingsOf }), request);
      const row = await readRequest(store, request);
      expect(row).toMatchObject({ status: 'in_progress', attempts: attempt });
      expect(row.last_error).toBe('STORE_UNAVAILABLE while erasing profiles: The store of Penstock does not answer.');
      waits.push(Date.parse(String(row.next_attempt_on)) - clock.nowMs());
    }
    expect(waits.slice(0, 3)).toEqual([33_000, 66_000, 132_000]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(HOUR_MS);
    clock.advance(DAY_MS);
    await work(workDeps(store, clock), request);
    expect(await readRequest(store, request)).toMatchObject({ status: 'completed', last_error: null, attempts: 9 });
  });

  it('that a drain interrupts is handed back for at once', async () => {
    const request = await insertErasure(store, { identities: [{ type: 'email', value: 'ann@example.com' }] });
    await executeRequest(workDeps(store, clock), keyOf(request), AbortSignal.abort('drain'));
    const row = await readRequest(store, request);
    expect(row).toMatchObject({ status: 'in_progress', last_error: null });
    expect(Date.parse(String(row.next_attempt_on))).toBe(clock.nowMs());
  });

  it('writes nothing more once another worker has taken the request', async () => {
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: randomUUID() })]));
    const request = await insertErasure(store, { mpids: [mpid] });
    const deps = workDeps(store, clock);
    const settingsOf = async (id: Parameters<typeof deps.settingsOf>[0]) => {
      await store.execute('UPDATE dsr_requests SET attempts = attempts + 1 WHERE workspace_id = $1 AND id = $2', [
        ...[workspaceId, request.id],
      ]);
      return await deps.settingsOf(id);
    };
    await work({ ...deps, settingsOf }, request);
    expect(await readRequest(store, request)).toMatchObject({ status: 'in_progress', counts: null, attempts: 2 });
    expect(
      await store.query('SELECT 1 FROM profiles WHERE workspace_id = $1 AND mpid = $2', [workspaceId, mpid]),
    ).toHaveLength(1);
  });

  it('of two workers at once counts everything once', async () => {
    clock.advance(DAY_MS);
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: randomUUID() })]));
    const request = await insertErasure(store, { mpids: [mpid] });
    const deps = workDeps(store, clock);
    await Promise.all([work(deps, request), work(deps, request), work(deps, request)]);
    const row = await readRequest(store, request);
    expect(row.status).toBe('completed');
    expect(JSON.parse(String(row.counts)).identity).toMatchObject({ profiles: 1, identities: 1 });
  });
});

describe('the operator', () => {
  const stuck = () => listStuckRequests(store, { workspaceId, nowMs: clock.nowMs() });

  it('sees a request whose attempt failed, one that nobody takes, and one that is late', async () => {
    const failed = await insertRequest(store, {
      ...{ status: 'in_progress', attempts: 3, lastError: 'INTERNAL while erasing batches: A fault.' },
      ...{ nextAttemptOn: now(HOUR_MS), startsOn: now(-3) },
    });
    const waiting = await pending(now(-11 * MINUTE_MS), { startsOn: now(-2) });
    const late = await insertRequest(store, {
      ...{ status: 'in_progress', nextAttemptOn: now(MINUTE_MS), expectedCompletionOn: now(), startsOn: now(-1) },
    });
    await pending(now(), { expectedCompletionOn: now(DAY_MS) });
    expect((await stuck()).map(({ id, why }) => [id, why])).toEqual([
      [
        failed.id,
        'Attempt 3 failed: INTERNAL while erasing batches: A fault. The next attempt is due at 2026-01-15T13:00:00.000Z.',
      ],
      [waiting.id, expect.stringMatching(/^No worker has taken it since 2026-01-15T11:49:00.000Z/)],
      [late.id, expect.stringMatching(/past its expected completion/)],
    ]);
  });

  it('has the next attempt made now', async () => {
    const request = await insertRequest(store, { status: 'in_progress', nextAttemptOn: now(HOUR_MS), lastError: 'x' });
    expect(await pass()).toEqual([]);
    await retryRequest(store, { ...keyOf(request), actor: 'cli:ada', nowMs: clock.nowMs() });
    expect(await pass()).toEqual([request.id]);
    const told = await changesOfResource(store, workspaceId, `dsr_request/${request.id}`);
    expect(told).toMatchObject([{ actor: 'cli:ada', action: 'dsr_request.retried', occurredOn: now() }]);
  });

  it('cannot retry what is not in progress', async () => {
    const request = await pending(now(DAY_MS));
    const key = { ...keyOf(request), actor: 'cli:ada', nowMs: clock.nowMs() };
    await expect(retryRequest(store, key)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(retryRequest(store, { ...key, id: randomUUID() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
