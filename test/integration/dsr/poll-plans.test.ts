// A pass over data subject requests reads what is due, however many wait beside it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enqueueDueRequests } from '../../../src/dsr/work/enqueue-due-requests.ts';
import type { Store } from '../../../src/store/index.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const DAY_MS = 86_400_000;
const WAITING = 3_000;

const clock = fakeClock();
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The store, with the plan of each statement that looks for requests as it was carried out. */
function explained(plans: Plan[]): Store {
  return Object.create(store, {
    query: {
      async value(text: string, values: Parameters<Store['query']>[1]) {
        const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
        const [row] = await store.query<{ 'QUERY PLAN': string }>(explain, values);
        plans.push(...JSON.parse(row?.['QUERY PLAN'] ?? '[]').map(({ Plan }: { readonly Plan: Plan }) => Plan));
        return store.query(text, values);
      },
    },
  });
}

/** Many requests like this one. */
async function copies(id: string): Promise<void> {
  await store.execute(
    `INSERT INTO dsr_requests (workspace_id, id, version, type, status, skip_waiting_period, created_by, submitted_on,
       received_on, starts_on, match_hash, subject_keys, next_attempt_on)
     SELECT workspace_id, md5(id::text || n)::uuid, version, type, status, skip_waiting_period, created_by, submitted_on,
       received_on, starts_on + n * interval '1 second', md5(id::text || n)::uuid, subject_keys, next_attempt_on + n * interval '1 second'
     FROM dsr_requests, generate_series(1, ${WAITING}) AS n WHERE id = $1`,
    [id],
  );
}

test('neither what waits nor what another pass starts is read', async () => {
  const now = clock.nowMs();
  const at = (ms: number) => ({ startsOn: new Date(ms), nextAttemptOn: new Date(ms) });
  const waiting = await insertRequest(store, { status: 'pending', type: 'erasure', ...at(now + DAY_MS) });
  const access = await insertRequest(store, { status: 'pending', type: 'access', ...at(now - DAY_MS) });
  const later = await insertRequest(store, { status: 'in_progress', type: 'access', ...at(now + 60_000) });
  for (const { id } of [waiting, access, later]) await copies(id);
  // as the put-off attempts are: none of them beyond the longest wait
  await store.execute("UPDATE dsr_requests SET next_attempt_on = $1 WHERE status = 'in_progress'", [
    new Date(now + 60_000),
  ]);
  await insertRequest(store, { status: 'pending', type: 'erasure', ...at(now) });
  await insertRequest(store, { status: 'in_progress', type: 'erasure', ...at(now) });
  await store.execute('ANALYZE dsr_requests');

  const plans: Plan[] = [];
  const signal = new AbortController().signal;
  const jobs = { enqueue: async () => undefined } as never;
  const woken = await enqueueDueRequests(explained(plans), jobs, { nowMs: now, signal, starts: ['erasure'] });

  expect(woken).toBe(2);
  const nodes = plans.flatMap(nodesOf);
  expect(plans).toHaveLength(4);
  expect(nodes.map((node) => node['Rows Removed by Filter'] ?? 0)).toEqual(nodes.map(() => 0));
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  for (const node of nodes) expect(node['Actual Rows']).toBeLessThanOrEqual(1);
});
