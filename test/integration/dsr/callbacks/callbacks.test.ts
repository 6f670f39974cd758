// The body of a callback, its signature, and the time it goes out (D-064).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listCallbacks } from '../../../../src/dsr/callbacks/list-callbacks.ts';
import type { Request } from '../../../../src/dsr/request.ts';
import {
  type CallbackRig,
  DAY_MS,
  openCallbackRig,
  opensslVerifies,
  QUARTER_MS,
} from '../../../support/apis/callback-rig.ts';
import { type HttpsReceiver, openReceiver, type Received } from '../../../support/apis/https-receiver.ts';
import { SCOPE } from '../../../support/people/deliver-people.ts';

let rig: CallbackRig;
let receiver: HttpsReceiver;
const answers = { status: 202 };

beforeAll(async () => {
  rig = await openCallbackRig();
  receiver = await openReceiver({ respond: (_received, response) => void response.writeHead(answers.status).end() });
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});
beforeEach(async () => {
  answers.status = 202;
  await rig.depart();
});

const url = (path: string) => `${receiver.url}${path}`;
const at = (path: string): Received[] => receiver.received.filter((one) => one.path === path);
const statusesAt = (path: string): string[] => at(path).map(({ body }) => JSON.parse(String(body)).request_status);
const logOf = async ({ id: requestId }: Request) =>
  listCallbacks(rig.store, SCOPE.workspaceId, { requestId, limit: 100, offset: 0, from: undefined, to: undefined });

describe('a callback', () => {
  test('of version 3 says these fields and no other, as compact JSON', async () => {
    const request = await rig.receive([url('/v3')], {
      groupId: 'group-1',
      expectedCompletionOn: new Date('2026-02-01T00:00:00Z'),
    });
    await rig.depart();
    const [received] = at('/v3');
    expect(String(received?.body)).toBe(
      `{"controller_id":"${SCOPE.workspaceId}","expected_completion_time":"2026-02-01T00:00:00.000Z",` +
        `"subject_request_id":"${request.id}","group_id":"group-1","request_status":"pending","api_version":"3.0",` +
        `"results_url":null,"extensions":null,"status_callback_url":"${url('/v3')}"}`,
    );
    expect(received).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  });

  test.each([
    [1, '1.0', 'x-opengdpr', 'opengdpr.shop.example'],
    [2, '2.0', 'x-opendsr', 'opendsr.shop.example'],
    [3, '3.0', 'x-opendsr', 'opendsr.shop.example'],
  ] as const)(
    'of version %i has that version’s words, and a signature that openssl verifies',
    async (version, ...words) => {
      const [api, header, domain] = words;
      const path = `/signed-${version}`;
      await rig.receive([url(path)], { version, expectedCompletionOn: new Date('2026-02-01T00:00:00Z') });
      await rig.depart();
      const [received] = at(path);
      const body = JSON.parse(String(received?.body));
      expect(body.api_version).toBe(api);
      // Times of versions 1 and 2 have no zone suffix (D-052).
      expect(body.expected_completion_time).toBe(`2026-02-01T00:00:00.000${version === 3 ? 'Z' : ''}`);
      expect(received?.headers[`${header}-processor-domain`]).toBe(domain);
      const signature = String(received?.headers[`${header}-signature`]);
      const certificate = await rig.processor.published();
      const bytes = received?.body ?? Buffer.alloc(0);
      expect(opensslVerifies(certificate, signature, bytes)).toBe(true);
      expect(opensslVerifies(certificate, signature, Buffer.concat([bytes, Buffer.from(' ')]))).toBe(false);
      const names = Object.keys(received?.headers ?? {}).filter((name) => name.startsWith('x-'));
      expect(names.sort()).toEqual([`${header}-processor-domain`, `${header}-signature`]);
    },
  );

  test('is queued for every change of the status, and for each URL once', async () => {
    const urls = [url('/one'), url('/two'), url('/one')];
    const pending = await rig.receive(urls);
    const started = await rig.move(pending, 'in_progress');
    await rig.move(started, 'completed');
    await rig.depart();
    expect(statusesAt('/one')).toEqual(['pending', 'in_progress', 'completed']);
    expect(statusesAt('/two')).toEqual(['pending', 'in_progress', 'completed']);
  });

  test('tells what was true at its change, however late it goes out', async () => {
    const pending = await rig.receive([url('/late')], { expectedCompletionOn: new Date('2026-02-01T00:00:00Z') });
    await rig.move(pending, 'cancelled');
    await rig.depart();
    const times = at('/late').map(({ body }) => JSON.parse(String(body)).expected_completion_time);
    expect(times).toEqual(['2026-02-01T00:00:00.000Z', null]);
  });

  test('of a completed access request says where its file is', async () => {
    const request = await rig.receive([url('/file')], { type: 'access', resultParts: 1, status: 'completed' });
    await rig.depart();
    const [received] = at('/file');
    const { results_url: results } = JSON.parse(String(received?.body));
    expect(results).toBe(`https://penstock.test/dsr/v3/requests/${request.id}/results`);
  });

  test('is not there without its change, nor the change without it', async () => {
    const pending = await rig.receive([url('/half')]);
    await rig.depart();
    const late = rig.store.transaction(async (tx) => {
      const { setStatus } = await import('../../../../src/dsr/set-status.ts');
      await setStatus(tx, pending, { next: 'in_progress', nowMs: rig.clock.nowMs() });
      throw new Error('The transaction fails.');
    });
    await expect(late).rejects.toThrow('fails');
    await rig.depart();
    expect(statusesAt('/half')).toEqual(['pending']);
    await expect(rig.move({ ...pending, status: 'in_progress' }, 'completed')).rejects.toThrow();
    await rig.depart();
    expect(statusesAt('/half')).toEqual(['pending']);
  });

  test.each([200, 202, 204])('is delivered by the answer %i', async (status) => {
    answers.status = status;
    const request = await rig.receive([url(`/answer-${status}`)]);
    await rig.depart();
    expect(await logOf(request)).toMatchObject([{ state: 'delivered', attempts: [{ status, error: null }] }]);
  });
});

describe('a delivery that fails', () => {
  test('is tried again with longer and longer waits for 24 hours, with the same bytes and each in the log', async () => {
    answers.status = 500;
    const request = await rig.receive([url('/failing')]);
    const startMs = rig.clock.nowMs();
    const triedMs: number[] = [];
    for (let elapsedMs = 0; elapsedMs <= 2 * DAY_MS; elapsedMs += QUARTER_MS) {
      const before = at('/failing').length;
      await rig.depart();
      if (at('/failing').length > before) triedMs.push(rig.clock.nowMs() - startMs);
      rig.clock.advance(QUARTER_MS);
    }
    const quarters = triedMs.map((ms) => ms / QUARTER_MS);
    expect(quarters).toEqual([0, 1, 3, 7, 15, 31, 63, 96]);
    expect(new Set(at('/failing').map(({ body }) => String(body))).size).toBe(1);
    const [logged] = await logOf(request);
    expect(logged).toMatchObject({ state: 'given_up', nextAttemptOn: null });
    expect(logged?.attempts).toHaveLength(8);
    expect(logged?.attempts[0]).toMatchObject({ attempt: 1, status: 500, error: 'The receiver answered 500.' });
  });

  test('keeps later statuses of the same request and URL back, so that none overtakes another', async () => {
    answers.status = 503;
    const pending = await rig.receive([url('/order')]);
    await rig.depart();
    await rig.move(pending, 'in_progress');
    await rig.depart();
    answers.status = 202;
    rig.clock.advance(QUARTER_MS);
    await rig.depart();
    expect(statusesAt('/order')).toEqual(['pending', 'pending', 'in_progress']);
  });

  test('loses nothing while no daemon runs for a week', async () => {
    answers.status = 500;
    const request = await rig.receive([url('/week')]);
    await rig.depart();
    rig.clock.advance(7 * DAY_MS);
    await rig.depart();
    expect(await logOf(request)).toMatchObject([{ state: 'queued' }]);
    answers.status = 202;
    rig.clock.advance(30 * 60_000);
    await rig.depart();
    expect(await logOf(request)).toMatchObject([{ state: 'delivered' }]);
  });

  test('is sent late, but sent, when the first attempt is a week late', async () => {
    const request = await rig.receive([url('/week-late')]);
    rig.clock.advance(7 * DAY_MS);
    await rig.depart();
    expect(await logOf(request)).toMatchObject([{ state: 'delivered', attempts: [{ status: 202 }] }]);
  });

  test('is not lost to a clock that ran ahead and was set back', async () => {
    answers.status = 500;
    rig.clock.advance(30 * DAY_MS);
    const request = await rig.receive([url('/ahead')]);
    await rig.depart();
    rig.clock.advance(-30 * DAY_MS);
    answers.status = 202;
    await rig.depart();
    expect(await logOf(request)).toMatchObject([{ state: 'delivered' }]);
  });

  test('says in the log that the URL may not be called any more, and calls nobody', async () => {
    const request = await rig.receive([`https://127.0.0.1:${receiver.port}/inner`]);
    await rig.depart();
    expect(await logOf(request)).toMatchObject([
      { state: 'queued', attempts: [{ status: null, error: expect.stringMatching(/leads to this machine/) }] },
    ]);
    expect(at('/inner')).toEqual([]);
  });

  test('holds no other receiver up: a silent host is not called on and on', async () => {
    const closed = await openReceiver();
    await closed[Symbol.asyncDispose]();
    const silent = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((path) => rig.receive([`${closed.url}/${path}`])));
    await rig.receive([url('/beside')]);
    await rig.depart();
    expect(at('/beside')).toHaveLength(1);
    const logs = await Promise.all(silent.map(logOf));
    const errors = logs.flat().map(({ attempts }) => attempts[0]?.error ?? '');
    expect(errors.filter((error) => error.includes('gave no answer: ECONNREFUSED'))).toHaveLength(3);
    expect(logs.flat().filter(({ attempts }) => attempts.length === 0)).toHaveLength(2);
  });
});

describe('several daemons', () => {
  test('send each callback once between them', async () => {
    const paths = Array.from({ length: 30 }, (_, number) => `/shared-${number}`);
    for (const path of paths) await rig.receive([url(path)]);
    await Promise.all([rig.depart(), rig.depart(), rig.depart()]);
    expect(paths.map((path) => at(path).length)).toEqual(paths.map(() => 1));
  });
});

describe('what a callback says', () => {
  const kept = async ({ id }: Request) =>
    rig.store.query(
      'SELECT request_status AS status, url, snapshot, body FROM dsr_callbacks WHERE workspace_id = $1 AND request_id = $2 ORDER BY id',
      [SCOPE.workspaceId, id],
    );
  const nothing = { url: null, snapshot: null, body: null };

  test.each(['completed', 'cancelled'] as const)(
    'is dropped once the request is %s and it was delivered, not before',
    async (end) => {
      const pending = await rig.receive([url(`/dropped-${end}`)]);
      await rig.depart();
      expect(await kept(pending)).toMatchObject([{ body: expect.any(String) }]);
      const started = end === 'completed' ? await rig.move(pending, 'in_progress') : pending;
      await rig.move(started, end);
      const rows = await kept(pending);
      expect(rows[0]).toEqual({ status: 'pending', ...nothing });
      expect(rows.at(-1)).toMatchObject({ status: end, url: expect.any(String) });
      await rig.depart();
      expect(statusesAt(`/dropped-${end}`).at(-1)).toBe(end);
      expect((await kept(pending)).flatMap(({ url: address, snapshot, body }) => [address, snapshot, body])).toEqual(
        rows.flatMap(() => [null, null, null]),
      );
    },
  );

  test('stays for a week after it was given up, so that it can be replayed, and goes then', async () => {
    answers.status = 500;
    const request = await rig.receive([url('/kept')], { status: 'completed' });
    for (let quarters = 0; quarters <= 96; quarters++) {
      await rig.depart();
      rig.clock.advance(QUARTER_MS);
    }
    expect(await kept(request)).toMatchObject([{ body: expect.any(String) }]);
    rig.clock.advance(7 * DAY_MS);
    await rig.depart();
    expect(await kept(request)).toEqual([{ status: 'completed', ...nothing }]);
    expect((await logOf(request))[0]).toMatchObject({ receiver: receiver.url, isReplayable: false });
  });
});
