// The door to the log: duplicates, refusals and groups over a real store.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expireRequests } from '../../../src/events/index.ts';
import { AppError, systemClock, workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { SOURCE, send, statuses, testDoor } from '../../support/batches/batch-door.ts';
import { readLog } from '../../support/batches/deliver-batches.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { until } from '../../support/clocks/until.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const DAY_MS = 86_400_000;
const WAITING = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%DELETE FROM batch_requests%'`;
const named = (id: unknown, more: object = {}) => ({
  source_request_id: id,
  user_identities: { email: 'a@example.com' },
  ...more,
});

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  await store.execute('DELETE FROM event_batches');
  await store.execute('DELETE FROM batch_requests');
});

describe('a batch', () => {
  test('is kept under the MPID of its person, in the sender’s text', async () => {
    const text =
      '{"user_identities":{"email":"a@example.com"},"user_attributes":{"a":1.50},"environment":"development"}';
    const { outcomes } = await send(testDoor(store, systemClock), [text]);
    const [row] = await readLog(store);
    expect(outcomes).toEqual([{ status: 'kept', mpid: row?.mpid }]);
    expect(row?.environment).toBe(1);
    expect(row?.text).toContain('"source_info":{"channel":"server_to_server"},"user_identities"');
    expect(row?.text).toContain('{"a":1.50}');
  });

  test('that names nobody is kept without an MPID', async () => {
    const { outcomes } = await send(testDoor(store, systemClock), ['{}']);
    expect(outcomes).toEqual([{ status: 'kept', mpid: undefined }]);
  });

  test('that is wrong is rejected with its path and leaves the others be', async () => {
    const { outcomes } = await send(testDoor(store, systemClock), [{ ip: 'x' }, { ip: null }, 1]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', issues: [{ path: 'ip' }] },
      { status: 'kept' },
      { status: 'rejected', issues: [{ path: '' }] },
    ]);
    expect(await readLog(store)).toHaveLength(1);
  });

  test('whose person fails is rejected and leaves the others be', async () => {
    const { outcomes } = await send(testDoor(store, systemClock), [{ mpid: 5 }, { ip: null }]);
    expect(outcomes).toMatchObject([{ status: 'rejected', issues: [{ path: 'mpid' }] }, { status: 'kept' }]);
  });

  test('that the store refuses is rejected alone', async () => {
    const poisoned = { ...store, transaction: store.transaction.bind(store) };
    const events = {
      prepare: async (scope: unknown, batches: Iterable<{ readonly text: string }>) => ({
        scope,
        batches: [...batches],
      }),
      async deliver(_tx: unknown, { batches }: { readonly batches: readonly { readonly text: string }[] }) {
        if (batches.some(({ text }) => text.includes('poison'))) throw new AppError('STORE_DATA', 'cannot hold it');
        return { outcomes: batches.map(() => ({ mpid: 1n })) };
      },
    };
    const door = testDoor(poisoned, systemClock, { events: events as never });
    const answer = await send(door, [{ api_key: 'a' }, { api_key: 'poison' }, { api_key: 'c' }, { api_key: 'd' }]);
    expect(statuses(answer)).toEqual(['kept', 'rejected', 'kept', 'kept']);
  });
});

test('many batches that wait together are delivered in groups of up to 2,000, and each has its own outcome', async () => {
  const door = testDoor(store, systemClock);
  const batches = Array.from({ length: 2400 }, (_, index) => ({
    source_request_id: `group-${index % 2300}`,
    user_identities: { customer_id: `of-group-${index % 300}` },
    user_attributes: { seen: index },
    timestamp_unixtime_ms: 1_750_000_000_000 + index,
  }));
  const accepted = await send(door, batches);
  const { outcomes } = accepted;
  expect(statuses(accepted)).toEqual(batches.map((_, index) => (index < 2300 ? 'kept' : 'duplicate')));
  const mpids = outcomes.map((outcome) => ('mpid' in outcome ? outcome.mpid : undefined));
  expect(mpids.slice(300, 2300)).toEqual(mpids.slice(0, 2000));
  const [groups] = await store.query('SELECT count(DISTINCT xmin::text)::int AS count FROM event_batches');
  expect(groups).toEqual({ count: 2 });
  const profiles = await store.query<{ attributes: string }>(
    'SELECT attributes FROM profiles WHERE mpid = ANY($1) ORDER BY mpid',
    [mpids.slice(0, 300).map((mpid) => mpid ?? null)],
  );
  // the newest value of each person, by its time
  expect(
    profiles.map(({ attributes }) => Number(/\d+/.exec(attributes)?.[0])).sort((one, other) => one - other),
  ).toEqual(Array.from({ length: 300 }, (_, index) => 2000 + index));
});

describe('source_request_id', () => {
  test('makes the second batch a duplicate that changes nothing', async () => {
    const door = testDoor(store, systemClock);
    expect(statuses(await send(door, [named('r1')]))).toEqual(['kept']);
    expect(statuses(await send(door, [named('r1', { ip: '10.0.0.1' }), named('r2')]))).toEqual(['duplicate', 'kept']);
    expect(await readLog(store)).toHaveLength(2);
  });

  test('names another batch in each environment', async () => {
    const door = testDoor(store, systemClock);
    const both = [named('r', { environment: 'development' }), named('r', { environment: 'production' })];
    expect(statuses(await send(door, both))).toEqual(['kept', 'kept']);
    expect(statuses(await send(door, [...both, named('r')]))).toEqual(['duplicate', 'duplicate', 'duplicate']);
    expect((await readLog(store)).map(({ environment }) => environment).toSorted()).toEqual([0, 1]);
  });

  test('counts within one request and between concurrent ones', async () => {
    const doors = [testDoor(store, systemClock), testDoor(store, systemClock)];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(doors[index % 2] as (typeof doors)[0], [named('r'), named('r')])),
    );
    expect(answers.flatMap(statuses).filter((status) => status === 'kept')).toHaveLength(1);
    expect(await readLog(store)).toHaveLength(1);
  });

  test.each([
    ['another key', { key: 'key-two' }],
    ['another workspace', { workspaceId: workspaceId(8n) }],
  ])('means something else to %s', async (_who, other) => {
    const door = testDoor(store, systemClock);
    await send(door, [named('r')]);
    expect(statuses(await send(door, [named('r')], { source: { ...SOURCE, ...other } }))).toEqual(['kept']);
  });

  test('that is absent, null or empty names nothing', async () => {
    const door = testDoor(store, systemClock);
    for (const id of [undefined, null, ''])
      expect(statuses(await send(door, [named(id), named(id)]))).toEqual(['kept', 'kept']);
  });

  test('tells long numbers apart by every digit', async () => {
    const door = testDoor(store, systemClock);
    const batches = ['{"source_request_id":18014398509481985}', '{"source_request_id":18014398509481986}'];
    expect(statuses(await send(door, batches))).toEqual(['kept', 'kept']);
    expect(statuses(await send(door, batches))).toEqual(['duplicate', 'duplicate']);
  });

  test('is not used up by a batch that was refused', async () => {
    const door = testDoor(store, systemClock);
    expect(statuses(await send(door, [named('r', { ip: 'x' })]))).toEqual(['rejected']);
    expect(statuses(await send(door, [{ source_request_id: 'r', mpid: 5 }]))).toEqual(['rejected']);
    expect(statuses(await send(door, [named('r')]))).toEqual(['kept']);
  });

  test('that several batches of a group have goes to the first one that is not refused', async () => {
    const door = testDoor(store, systemClock);
    const answer = await send(door, [
      { source_request_id: 'r', mpid: 5 },
      named('s'),
      { source_request_id: 'r', mpid: 6 },
      named('r'),
      named('r'),
      named('s'),
    ]);
    expect(statuses(answer)).toEqual(['rejected', 'kept', 'rejected', 'kept', 'duplicate', 'duplicate']);
  });

  test('of many batches that are all refused holds up no transaction for long', async () => {
    let most = 0;
    const counting: Store = {
      ...store,
      transaction: (work, options) => {
        let copies = 0;
        return store.transaction((tx) => {
          const execute: typeof tx.execute = async (statement, values) => {
            if (statement.includes('DELETE FROM batch_requests')) most = Math.max(most, ++copies);
            return tx.execute(statement, values);
          };
          return work({ ...tx, execute });
        }, options);
      },
    };
    const door = testDoor(counting, systemClock);
    const bad = Array.from({ length: 9 }, () => ({ source_request_id: 'r', mpid: 5 }));
    expect(statuses(await send(door, [...bad, named('r')]))).toEqual([...bad.map(() => 'rejected'), 'kept']);
    expect(most).toBe(2);
  });

  test('claimed again while it is being forgotten stays', async () => {
    const { workspaceId: ours } = SOURCE;
    const clock = fakeClock();
    await send(testDoor(store, clock), [named('r')]);
    clock.advance(31 * DAY_MS);
    const expiry = { workspaceId: ours, nowMs: clock.nowMs() };
    const forgotten = await store.transaction(async (tx) => {
      await tx.execute('UPDATE batch_requests SET received_on = $2 WHERE workspace_id = $1', [
        ours,
        new Date(clock.nowMs()),
      ]);
      const expired = expireRequests(store, expiry, new AbortController().signal);
      await until(async () => (await store.query(WAITING)).length > 0);
      return { expired };
    });
    expect(await forgotten.expired).toBe(0);
  });

  test('is forgotten after 30 days, with or without the daily cadence', async () => {
    const clock = fakeClock();
    const door = testDoor(store, clock);
    const { workspaceId: ours } = SOURCE;
    await send(door, [named('r'), named('s')]);
    clock.advance(30 * DAY_MS);
    expect(statuses(await send(door, [named('r')]))).toEqual(['duplicate']);
    clock.advance(1);
    expect(statuses(await send(door, [named('r')]))).toEqual(['kept']);
    const expiry = { workspaceId: ours, nowMs: clock.nowMs() };
    expect(await expireRequests(store, expiry, new AbortController().signal)).toBe(1);
    expect(statuses(await send(door, [named('r'), named('s')]))).toEqual(['duplicate', 'kept']);
  });
});

describe('too much', () => {
  test('waiting is weighed by what it takes, and a request for which there is no room is refused whole', async () => {
    const gate = Promise.withResolvers<void>();
    const delivered: string[] = [];
    let isWaiting = false;
    const events = {
      async prepare(_scope: unknown, batches: Iterable<{ readonly text: string }>) {
        isWaiting = true;
        await gate.promise;
        return [...batches];
      },
      async deliver(_tx: unknown, batches: readonly { readonly text: string }[]) {
        delivered.push(...batches.map(({ text }) => text));
        return { outcomes: batches.map(() => ({ mpid: 1n })) };
      },
    };
    const door = testDoor(store, systemClock, { events: events as never });
    const attributes = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, 'x'.repeat(4000)]));
    // 12 MB of text
    const large = Array.from({ length: 100 }, () => ({ user_attributes: attributes }));
    const first = send(door, large);
    await until(() => isWaiting);
    const recorded: unknown[] = [];
    const record = async (rejected: unknown) => void recorded.push(rejected);
    const request = [{ api_key: 'small' }, { ip: 'wrong' }, ...large];
    const refused = await send(door, request, { record }).catch((thrown: AppError) => thrown);
    expect(recorded).toEqual([]);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    gate.resolve();
    expect(statuses(await first)).toEqual(large.map(() => 'kept'));
    expect(delivered).toHaveLength(100);
    expect(delivered.filter((text) => text.includes('small'))).toEqual([]);
  });

  test('over the rate is refused whole, with the time to wait', async () => {
    const taken: unknown[] = [];
    const rates = {
      take: (...args: unknown[]) => {
        taken.push(args);
        return { isAllowed: false, percentageUsed: 100, retryAfterSeconds: 3 };
      },
    };
    const door = testDoor(store, systemClock, { rates });
    const error = await send(door, [{}, {}]).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 3 });
    expect(taken).toEqual([['7', 2, 270]]);
    expect(await readLog(store)).toHaveLength(0);
  });
});
