// Fault points of an access request: at each statement and each commit the daemon dies, and another takes over. Nobody sees
// half a file, and no request is completed without its whole one.
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Request } from '../../../src/dsr/request.ts';
import { expireResultFiles } from '../../../src/dsr/result/drop-result-files.ts';
import { openResultFile } from '../../../src/dsr/result/read-result-file.ts';
import type { Store } from '../../../src/store/index.ts';
import { insertErasure, readRequest, work, workDeps } from '../../support/apis/dsr-work.ts';
import { type FakeClock, fakeClock } from '../../support/clocks/fake-clock.ts';
import { dieEverywhere, mortal } from '../../support/crashes/mortal.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { readZip } from '../../support/runner/read-zip.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const CALLBACK = 'https://controller.example.com/callback';

let store: Store;
let clock: FakeClock;
let mpid: bigint;
beforeAll(async () => {
  store = await openTestStore();
  clock = fakeClock();
  [mpid = 0n] = mpidsOf(await deliver(store, [person({ email: 'ada@example.com' })]));
  // two parts, and the end of a zip
  await store.execute(
    `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
     SELECT $1, $2, '2026-01-03', ordinal, 0, text FROM unnest($3::text[]) WITH ORDINALITY AS t (text, ordinal)`,
    [SCOPE.workspaceId, mpid, Array.from({ length: 400 }, () => `{"n":"${noise()}"}`)],
  );
});
afterAll(() => store[Symbol.asyncDispose]());

const noise = () => Array.from({ length: 40 }, () => crypto.randomUUID()).join('');

async function download(request: Request): Promise<Buffer | string> {
  try {
    const file = await openResultFile({ store, clock }, { workspaceId: SCOPE.workspaceId, requestId: request.id });
    return await buffer(file.bytes);
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

const callbacks = (request: Request) =>
  store.query<{ snapshot: string }>(
    "SELECT snapshot FROM dsr_callbacks WHERE workspace_id = $1 AND request_id = $2 AND request_status = 'completed'",
    [SCOPE.workspaceId, request.id],
  );

/** Whole or not at all, and never apart from its request and what that tells. */
async function expectNothingHalf(request: Request, point: string): Promise<void> {
  const { status, result_parts: parts } = await readRequest(store, request);
  const file = await download(request);
  const told = (await callbacks(request)).map(({ snapshot }) => JSON.parse(snapshot).hasResults);
  if (status === 'completed') {
    expect([point, typeof file, parts !== null, told]).toEqual([point, 'object', true, [true]]);
    expect([...(await readZip(file as Buffer)).keys()]).toEqual(['profile.jsonl', 'batches-0001.jsonl']);
  } else {
    expect([point, status, file, parts, told]).toEqual([point, 'in_progress', 'NOT_FOUND', null, []]);
  }
}

async function untilOver(request: Request): Promise<void> {
  for (let passes = 0; passes < 20; passes++) {
    await work(workDeps(store, clock), request);
    if ((await readRequest(store, request)).status === 'completed') return;
    clock.advance(HOUR_MS);
  }
}

describe('a daemon that is killed while it writes an access file', () => {
  test('leaves nothing half at any point, and another writes it whole', async () => {
    const points = await dieEverywhere({
      begin: () =>
        insertErasure(
          store,
          { mpids: [mpid] },
          { type: 'access', nextAttemptOn: new Date(clock.nowMs()), callbackUrls: [CALLBACK] },
        ),
      async work(request, dieAt) {
        const life = mortal(store, undefined, dieAt);
        await work(workDeps(life.store, clock), request).catch(() => undefined);
        return life;
      },
      async afterDeath(request, point) {
        await expectNothingHalf(request, point);
        clock.advance(HOUR_MS);
        await untilOver(request);
        expect([point, (await readRequest(store, request)).status]).toEqual([point, 'completed']);
        await expectNothingHalf(request, point);
      },
    });
    // its claim, its beginning, three parts and its end at least
    expect(points.filter((point) => point === 'after a commit').length).toBeGreaterThanOrEqual(6);
    await sweepAway();
  });
});

/** What the dead have left goes, the files themselves when their time is over. */
async function sweepAway(): Promise<void> {
  const signal = new AbortController().signal;
  clock.advance(WEEK_MS + HOUR_MS);
  await expireResultFiles({ store, clock }, signal);
  expect(await store.query('SELECT 1 FROM dsr_result_parts')).toEqual([]);
  expect(await store.query("SELECT 1 FROM dsr_result_files WHERE state <> 'dropped' OR mpids <> '{}'")).toEqual([]);
}
