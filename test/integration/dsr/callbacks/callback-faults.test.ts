// Fault points of a callback: each transaction and each outgoing call, killed before and after it. No callback tells of a
// status that was not reached, and every callback arrives at least once, with the same body each time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queueCallbacks } from '../../../../src/dsr/callbacks/queue-callbacks.ts';
import { sendCallbacks } from '../../../../src/dsr/callbacks/send-callbacks.ts';
import type { Request } from '../../../../src/dsr/request.ts';
import type { RequestStatus } from '../../../../src/dsr/request-machine.ts';
import { setStatus } from '../../../../src/dsr/set-status.ts';
import { type CallbackRig, openCallbackRig, QUARTER_MS } from '../../../support/apis/callback-rig.ts';
import { insertRequest } from '../../../support/apis/dsr-requests.ts';
import { type HttpsReceiver, openReceiver } from '../../../support/apis/https-receiver.ts';
import { Killed, type Mortal, mortalDaemon } from '../../../support/crashes/mortal-daemon.ts';
import { SCOPE } from '../../../support/people/deliver-people.ts';

let rig: CallbackRig;
let receiver: HttpsReceiver;
beforeAll(async () => {
  rig = await openCallbackRig();
  receiver = await openReceiver();
  // its key takes a while to make, and is none of the points
  await rig.processor.current();
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

const FLOW: readonly RequestStatus[] = ['in_progress', 'completed'];
const alive = new AbortController().signal;

/** Two URLs and the whole life of a request, the queue going out after each change. */
async function live(request: Request, daemon: Mortal): Promise<void> {
  const deps = { ...rig, store: daemon.store, outgoing: daemon.outgoing };
  await daemon.store.transaction((tx) => queueCallbacks(tx, request, rig.clock.nowMs()));
  await sendCallbacks(deps, alive);
  let current = request;
  for (const next of FLOW) {
    const moved = await daemon.store.transaction((tx) => setStatus(tx, current, { next, nowMs: rig.clock.nowMs() }));
    current = moved ?? current;
    await sendCallbacks(deps, alive);
  }
}

const insert = (name: string) =>
  insertRequest(rig.store, {
    status: 'pending',
    callbackUrls: [`${receiver.url}/${name}/a`, `${receiver.url}/${name}/b`],
  });

interface Heard {
  readonly path: string;
  readonly status: RequestStatus;
  readonly body: string;
}
const heardOf = (name: string): Heard[] =>
  receiver.received
    .filter(({ path }) => path?.startsWith(`/${name}/`))
    .map(({ path, body }) => ({
      path: path ?? '',
      status: JSON.parse(String(body)).request_status,
      body: String(body),
    }));

/** Statuses whose change was committed: those that have rows. */
async function committedOf({ id }: Request): Promise<RequestStatus[]> {
  const rows = await rig.store.query<{ status: RequestStatus }>(
    'SELECT DISTINCT request_status AS status FROM dsr_callbacks WHERE workspace_id = $1 AND request_id = $2',
    [SCOPE.workspaceId, id],
  );
  return rows.map(({ status }) => status);
}

async function pointsOfLife(): Promise<readonly string[]> {
  const daemon = mortalDaemon(rig);
  await live(await insert('whole'), daemon);
  return daemon.points;
}

test('a life without a kill passes each transaction and each call twice, and is heard once', async () => {
  const points = await pointsOfLife();
  // 3 changes, and for each of 6 callbacks a claim, a call and its settling
  expect(points.filter((point) => point.startsWith('after commit'))).toHaveLength(3 + 6 * 2);
  expect(points.filter((point) => point.startsWith('after call'))).toHaveLength(6);
  expect(
    heardOf('whole')
      .map(({ status }) => status)
      .sort(),
  ).toEqual(['completed', 'completed', 'in_progress', 'in_progress', 'pending', 'pending']);
});

describe('a daemon that is killed', () => {
  // 2 points for each of 15 transactions and 6 calls
  test.each(Array.from({ length: 42 }, (_, point) => point))(
    'at point %i loses no callback and invents none',
    async (point) => {
      const name = `kill-${point}`;
      const request = await insert(name);
      const daemon = mortalDaemon(rig, point);
      await expect(live(request, daemon)).rejects.toBeInstanceOf(Killed);
      expect(daemon.isDead).toBe(true);

      // what was heard until then had happened
      const committed = await committedOf(request);
      for (const { status } of heardOf(name)) expect(committed).toContain(status);

      // the next daemon goes on, and nobody changes the request any more
      for (let passes = 0; passes < 2; passes++) {
        rig.clock.advance(QUARTER_MS);
        await rig.depart();
      }
      expect(await committedOf(request)).toEqual(committed);
      const heard = heardOf(name);
      for (const status of committed) {
        for (const path of [`/${name}/a`, `/${name}/b`]) {
          const bodies = heard.filter((one) => one.path === path && one.status === status).map(({ body }) => body);
          expect(bodies.length).toBeGreaterThanOrEqual(1);
          expect(new Set(bodies).size).toBe(1);
        }
      }
      expect(new Set(heard.map(({ status }) => status))).toEqual(new Set(committed));
      // nothing half done stays: each is delivered, and what a request that is over had said is gone
      const rows = await rig.store.query<{ delivered: boolean; kept: boolean }>(
        `SELECT delivered_on IS NOT NULL AS delivered, body IS NOT NULL OR url IS NOT NULL AS kept
       FROM dsr_callbacks WHERE workspace_id = $1 AND request_id = $2`,
        [SCOPE.workspaceId, request.id],
      );
      const isOver = committed.includes('completed');
      for (const row of rows) expect(row).toEqual({ delivered: true, kept: !isOver });
    },
  );
});
