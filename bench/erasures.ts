// Due erasures of one workspace: `npm run bench -- erasures [rows]`, 200,000 batches of nobody and as many rejected batches
// unless told otherwise. 1, 4 and 16 erasures are due at once, over an embedded store with the settings of production.
import { parseArgs } from 'node:util';
import { REQUESTS_AT_ONCE } from '../src/dsr/work/register-request-worker.ts';
import { systemClock } from '../src/kernel/index.ts';
import { addWorkspace } from '../test/support/apis/add-workspace.ts';
import { insertErasure, readRequest, work, workDeps } from '../test/support/apis/dsr-work.ts';
import { deliver, person, SCOPE } from '../test/support/people/deliver-people.ts';
import { openBenchStore } from './support/bench-store.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const ROWS = Number(positionals[0] ?? 200_000);
const DUE = [1, 4, 16];
const DAY_MS = 86_400_000;
const { workspaceId } = SCOPE;

await using store = await openBenchStore();
await addWorkspace(store, workspaceId);
const deps = workDeps(store, systemClock);
await seed();

const table = [];
for (const due of DUE) table.push(await erase(due));
console.table(table);
console.log(JSON.stringify({ erasures: { rows: ROWS, atOnce: REQUESTS_AT_ONCE, table } }));

/** About 400 bytes a batch and a rejected batch, which name others. */
async function seed(): Promise<void> {
  const text = (n: string) =>
    `'{"environment":"production","partner_identities":{"crm":"other' || ${n} || '@example.com"},"events":[{"event_type":"custom_event",'
     || '"data":{"event_name":"Viewed ' || ${n} % 97 || '","custom_event_type":"navigation","custom_attributes":{"path":"/shop/'
     || md5(${n}::text) || '","referrer":"https://example.com/' || ${n} % 1013 || '","price":' || (${n} % 9973) / 100.0 || '}}}]}'`;
  const values = [workspaceId, new Date(), ROWS];
  await store.execute(
    `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
     SELECT $1, 0, $2::timestamptz - n % 150 * interval '1 day', n, 0, ${text('n')} FROM generate_series(1, $3::int8) AS n`,
    values,
  );
  await store.execute(
    `INSERT INTO rejected_batches (workspace_id, id, received_on, key, path, errors, text)
     SELECT $1, n, $2, 'k', '/v2/bulkevents', '[{"path":"events","message":"must be a list."}]', ${text('n')}
     FROM generate_series(1, $3::int8) AS n`,
    values,
  );
  await store.execute('CHECKPOINT');
}

async function erase(due: number) {
  const ids = Array.from({ length: due }, (_, index) => `due-${due}-${index}`);
  await deliver(
    store,
    ids.map((id) => person({ customer_id: id, email: `${id}@example.com`, mobile_number: `+4179${id}` })),
  );
  const receivedOn = new Date(Date.now() - 8 * DAY_MS);
  const requests = [];
  for (const value of ids) {
    const identities = [{ type: 'customer_id', value } as const];
    requests.push(await insertErasure(store, { identities }, { receivedOn, nextAttemptOn: new Date() }));
  }
  const started = performance.now();
  const left = [...requests];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(deps, next);
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker));
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  for (const request of requests) {
    const { status, last_error: why } = await readRequest(store, request);
    if (status !== 'completed') throw new Error(`The request is ${status}: ${why}`);
  }
  return { due, seconds, 'seconds each': Number((seconds / due).toFixed(2)) };
}
