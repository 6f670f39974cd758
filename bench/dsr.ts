// A person with many events: `npm run bench -- dsr [events]`, one million unless told otherwise. Times of the access file, of
// its download and of the erasure, over an embedded store with the settings of production, compared in the same run with a
// bare COPY of the person's batches and a bare DELETE of another's as many. Memory is read from /proc: Linux only.
import { parseArgs } from 'node:util';
import type { Request } from '../src/dsr/request.ts';
import { openResultFile } from '../src/dsr/result/read-result-file.ts';
import { systemClock } from '../src/kernel/index.ts';
import { insertErasure, readRequest, work, workDeps } from '../test/support/apis/dsr-work.ts';
import { deliver, mpidsOf, person, SCOPE } from '../test/support/people/deliver-people.ts';
import { openBenchStore } from './support/bench-store.ts';
import { forgetPeak, peakMemoryMb } from './support/process-cost.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const EVENTS = Number(positionals[0] ?? 1_000_000);
const DAY_MS = 86_400_000;
const { workspaceId } = SCOPE;

await using store = await openBenchStore();
const deps = workDeps(store, systemClock);
const people = [person({ email: 'ada@example.com' }, { age: '36' }), person({ email: 'bob@example.com' })];
const [ada = 0n, bob = 0n] = mpidsOf(await deliver(store, people));
await seed(ada);
await seed(bob);
await store.execute('CHECKPOINT');

interface Step {
  readonly step: string;
  readonly seconds: number;
  readonly 'events/s': number;
  readonly 'peak MB': number;
  readonly MB: number | undefined;
}

const idleMb = peakMemoryMb(process.pid);
const reader = await measure('bare reader: COPY of the texts', () => copyTexts(ada));
const access = await insertErasure(store, { mpids: [ada] }, { type: 'access', nextAttemptOn: new Date() });
const writing = await measure('access file written', async () => {
  await complete(access);
  return await sizeOf(access);
});
const download = await measure('access file downloaded', () => readFile(access));
const deleter = await measure('bare deleter: one DELETE', async () => {
  await store.execute('DELETE FROM event_batches WHERE workspace_id = $1 AND mpid = $2', [workspaceId, bob]);
});
const erasure = await insertErasure(store, { mpids: [ada] }, { receivedOn: longAgo(), nextAttemptOn: new Date() });
const erasing = await measure('erasure', () => complete(erasure));

const bare = new Map([
  [writing, reader],
  [download, reader],
  [erasing, deleter],
]);
const table = [reader, writing, download, deleter, erasing].map((step) => {
  const other = bare.get(step);
  return { ...step, '× bare': other === undefined ? undefined : Number((step.seconds / other.seconds).toFixed(2)) };
});
console.table(table);
console.log(JSON.stringify({ dsr: { events: EVENTS, idleMb, table } }));

/** One event a batch, about 500 bytes each, over five months. */
async function seed(mpid: bigint): Promise<void> {
  const text = (n: string) =>
    `'{"mpid":${mpid},"batch_id":' || ${n} || ',"environment":"production","user_identities":{"email":"ada@example.com"},'
     || '"events":[{"event_type":"custom_event","data":{"event_name":"Viewed ' || ${n} % 97 || '","custom_event_type":"navigation",'
     || '"event_id":' || ${n} * 7919 || ',"custom_attributes":{"path":"/shop/' || md5(${n}::text) || '","referrer":"https://example.com/'
     || ${n} % 1013 || '","price":' || (${n} % 9973) / 100.0 || '}}}],"source_info":{"channel":"server_to_server"},"padding":"'
     || repeat('x', 120) || '"}'`;
  await store.execute(
    `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
     SELECT $1, $2, $3::timestamptz - n % 150 * interval '1 day', n, 0, ${text('n')} FROM generate_series(1, $4::int8) AS n`,
    [workspaceId, mpid, new Date(), EVENTS],
  );
}

async function measure(step: string, act: () => Promise<unknown>): Promise<Step> {
  forgetPeak(process.pid);
  const started = performance.now();
  const bytes = await act();
  const seconds = Number(((performance.now() - started) / 1000).toFixed(2));
  const MB = typeof bytes === 'number' ? Math.round(bytes / 1024 / 1024) : undefined;
  return { step, seconds, 'events/s': Math.round(EVENTS / seconds), 'peak MB': peakMemoryMb(process.pid), MB };
}

async function copyTexts(mpid: bigint): Promise<number> {
  let bytes = 0;
  const query = `SELECT text FROM event_batches WHERE workspace_id = ${workspaceId} AND mpid = ${mpid}`;
  await store.transaction((tx) =>
    tx.copyOut(query, ['text'], ([text]) => {
      bytes += String(text).length;
    }),
  );
  return bytes;
}

async function complete(request: Request): Promise<void> {
  await work(deps, request);
  const { status, last_error: why } = await readRequest(store, request);
  if (status !== 'completed') throw new Error(`The request is ${status}: ${why}`);
}

async function sizeOf({ id: requestId }: Request): Promise<number> {
  return (await openResultFile({ store, clock: systemClock }, { workspaceId, requestId })).sizeBytes;
}

async function readFile({ id: requestId }: Request): Promise<number> {
  let bytes = 0;
  const file = await openResultFile({ store, clock: systemClock }, { workspaceId, requestId });
  for await (const part of file.bytes) bytes += part.length;
  return bytes;
}

function longAgo(): Date {
  return new Date(Date.now() - 8 * DAY_MS);
}
