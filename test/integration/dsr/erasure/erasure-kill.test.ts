// A worker that erases a person with very many batches: killed for real in the middle, and in bounded memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Request } from '../../../../src/dsr/request.ts';
import type { Store } from '../../../../src/store/index.ts';
import { insertErasure, readRequest } from '../../../support/apis/dsr-work.ts';
import { until } from '../../../support/clocks/until.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const NOW_MS = Date.UTC(2026, 0, 22, 12);
const BATCHES = 60_000;
const BATCH_BYTES = 2_000;

function startWorker(store: Store, { id }: Request): ChildProcess {
  const script = join(import.meta.dirname, '..', '..', '..', 'support', 'people', 'erasing-child.ts');
  const args = [script, store.databaseUrl, String(workspaceId), id, String(NOW_MS)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function fill(store: Store, mpid: bigint): Promise<void> {
  await store.execute(
    `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
     SELECT $1, $2, '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second', n, 0, repeat('x', ${BATCH_BYTES})
     FROM generate_series(1, ${BATCHES}) AS n`,
    [workspaceId, mpid],
  );
}

async function leftOf(store: Store, mpid: bigint): Promise<number> {
  const rows = await store.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM event_batches WHERE workspace_id = $1 AND mpid = $2',
    [workspaceId, mpid],
  );
  return Number(rows[0]?.count);
}

const countsOf = async (store: Store, request: Request) =>
  JSON.parse(String((await readRequest(store, request)).counts ?? '{}')) as Record<string, Record<string, number>>;

test('a worker that is killed while it erases loses no count, and the next one ends it in bounded memory', async () => {
  await using store = await openTestStore();
  const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: randomUUID() })]));
  await fill(store, mpid);
  const request = await insertErasure(store, { mpids: [mpid] });

  const killed = startWorker(store, request);
  const ended = once(killed, 'exit');
  await until(async () => ((await countsOf(store, request)).events?.batches ?? 0) > 0);
  killed.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  // what its server still had in hand is over
  await until(async () => {
    const done = (await countsOf(store, request)).events?.batches ?? 0;
    return done + (await leftOf(store, mpid)) === BATCHES;
  });
  expect(await leftOf(store, mpid)).toBeGreaterThan(0);
  expect((await readRequest(store, request)).status).toBe('in_progress');

  const worker = startWorker(store, request);
  const said = await text(worker.stdout as NodeJS.ReadableStream);
  const { grownMb } = JSON.parse(said) as { readonly grownMb: number };
  expect(grownMb).toBeLessThan((BATCHES * BATCH_BYTES) / 1024 / 1024 / 2);
  expect(await leftOf(store, mpid)).toBe(0);
  expect(await readRequest(store, request)).toMatchObject({ status: 'completed', attempts: 2 });
  expect(await countsOf(store, request)).toMatchObject({ identity: { profiles: 1 }, events: { batches: BATCHES } });
}, 120_000);
