// A restored backup holds requests open that are over by now: none of them is carried out, and nobody is told again.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportErasures } from '../../../../src/dsr/reapply/export-erasures.ts';
import { reapplyErasures } from '../../../../src/dsr/reapply/reapply-erasures.ts';
import { confirmIdentityKey } from '../../../../src/identity/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertErasure, readRequest, TEST_IDENTITY_KEY, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { type FakeClock, fakeClock } from '../../../support/clocks/fake-clock.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const HOOK = 'https://hooks.example.com/?about=ann';

let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
  clock = fakeClock();
  clock.advance(86_400_000);
  await addWorkspace(store, workspaceId);
  await confirmIdentityKey(store, TEST_IDENTITY_KEY);
});
afterAll(() => store[Symbol.asyncDispose]());

async function exported(): Promise<readonly string[]> {
  const wanted = { ...workDeps(store, clock), workspaceId, nowMs: clock.nowMs() };
  const lines: string[] = [];
  for await (const line of exportErasures(wanted)) lines.push(line);
  return lines;
}

const reapply = (lines: readonly string[]) =>
  reapplyErasures(workDeps(store, clock), {
    ...{ workspaceId, lines: () => lines, actor: 'cli:tester', signal: new AbortController().signal },
  });

/** With a callback and a forward that wait to be sent. */
async function insertQueued(customer: string) {
  const startsOn = new Date(clock.nowMs());
  const request = await insertErasure(
    store,
    { identities: [{ type: 'customer_id', value: customer }] },
    { status: 'pending', startsOn, nextAttemptOn: startsOn, callbackUrls: [HOOK], encodedRequest: 'sealed' },
  );
  await store.execute(
    `INSERT INTO dsr_callbacks (workspace_id, request_id, request_status, receiver, url, snapshot, queued_on, next_attempt_on)
     VALUES ($1, $2, 'pending', 'https://hooks.example.com', $3, '{}', $4, $4)`,
    [workspaceId, request.id, HOOK, startsOn],
  );
  await store.execute(
    `INSERT INTO dsr_forwards (workspace_id, request_id, partner_id, domain, name, status, body, queued_on, next_attempt_on)
     VALUES ($1, $2, 'p', 'p.example.com', 'P', 'pending', 'sealed', $3, $3)`,
    [workspaceId, request.id, startsOn],
  );
  return request;
}

/** The export as it would be with the request at its end. */
const overIn = (lines: readonly string[], id: string, end: Readonly<Record<string, unknown>>) =>
  lines.map((line) => (line.includes(id) ? JSON.stringify({ ...JSON.parse(line), ...end }) : line));

describe('a request that a restored backup holds open', () => {
  it('is not carried out when it was cancelled since, and nothing more is sent for it', async () => {
    const ann = randomUUID();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: ann })]));
    const request = await insertQueued(ann);
    const end = { status: 'cancelled', cancelled_on: '2026-01-16T11:00:00+00:00', expected_completion_on: null };
    const lines = overIn(await exported(), request.id, end);

    expect(await reapply(lines)).toMatchObject({ restored: 0, ended: 1, lost: [], people: 0 });
    await work(workDeps(store, clock), request);
    expect(await readRequest(store, request)).toMatchObject({
      ...{ ...end, subject: null, encoded_request: null, callback_urls: null, next_attempt_on: null },
    });
    expect(await store.query('SELECT mpid FROM profiles WHERE workspace_id = $1', [workspaceId])).toEqual([{ mpid }]);
    const callbacks = 'SELECT url, snapshot, next_attempt_on FROM dsr_callbacks WHERE request_id = $1';
    expect(await store.query(callbacks, [request.id])).toEqual([{ url: null, snapshot: null, next_attempt_on: null }]);
    const forwards = 'SELECT status, body, next_attempt_on FROM dsr_forwards WHERE request_id = $1';
    expect(await store.query(forwards, [request.id])).toEqual([
      { status: 'skipped', body: null, next_attempt_on: null },
    ]);

    expect(await reapply(lines)).toMatchObject({ restored: 0, ended: 0 });
  });

  it('is carried through without a word when its profiles were gone and other rooms were not', async () => {
    const request = await insertQueued(randomUUID());
    const begun = `UPDATE dsr_requests SET status = 'in_progress', erased_keys = '{}' WHERE workspace_id = $1 AND id = $2`;
    await store.execute(begun, [workspaceId, request.id]);
    const end = { status: 'completed', completed_on: '2026-01-16T11:00:00+00:00' };

    expect(await reapply(overIn(await exported(), request.id, end))).toMatchObject({ restored: 0, ended: 0 });
    expect(await readRequest(store, request)).toMatchObject({ status: 'in_progress', callback_urls: null });
    await work(workDeps(store, clock), request);
    expect(await readRequest(store, request)).toMatchObject({ status: 'completed', subject: null });
    const queued = 'SELECT 1 FROM dsr_callbacks WHERE request_id = $1 AND next_attempt_on IS NOT NULL';
    expect(await store.query(queued, [request.id])).toEqual([]);
  });
});
