import { describe, expect, it } from 'vitest';
import { readRetention, workspaceIds } from '../../../src/access/index.ts';
import { eraseBatches, expireBatches, keepPartitions, readBatches } from '../../../src/events/index.ts';
import { createLog, workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { openTestAccess, someWorkspace } from '../../support/apis/test-access.ts';
import { deliverBatches, mpidsOfBatches, readLog } from '../../support/batches/deliver-batches.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { person, SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId: workspace } = SCOPE;
const ELSEWHERE = { ...SCOPE, workspaceId: workspaceId(8n) };
const signal = new AbortController().signal;

const of = (customerId: string, n: number) => ({ person: person({ customer_id: customerId }), text: `{"n":${n}}` });
const numbers = (batches: readonly { readonly text: string }[]) => batches.map(({ text }) => JSON.parse(text).n);

async function receive(
  store: Store,
  time: string,
  { batches, scope = SCOPE }: { readonly batches: readonly ReturnType<typeof of>[]; readonly scope?: typeof SCOPE },
) {
  const clock = fakeClock(Date.parse(time));
  await keepPartitions({ store, clock, log: createLog('silent') });
  return mpidsOfBatches(await deliverBatches(store, batches, { clock, scope })).map((mpid) => mpid ?? 0n);
}

describe('the batches of a person', () => {
  it('are read newest first over all months, page by page, none twice and none left out', async () => {
    await using store = await openTestStore();
    const batches = [0, 1, 2].map((n) => of('ann', n));
    const [mpid = 0n] = await receive(store, '2026-01-31T23:59:59Z', { batches });
    await receive(store, '2026-03-01T00:00:00Z', { batches: [of('ben', 9), of('ann', 3), of('ann', 4)] });
    await receive(store, '2026-02-01T00:00:00Z', { batches: [of('ann', 5)] });
    for (const limit of [1, 2, 3, 10]) {
      const seen: number[] = [];
      let before: Parameters<typeof readBatches>[2]['before'];
      for (;;) {
        const page = await readBatches(store, { workspaceId: workspace, mpid }, { limit, ...(before && { before }) });
        seen.push(...numbers(page));
        if (page.length < limit) break;
        before = page.at(-1);
      }
      expect(seen).toEqual([4, 3, 5, 2, 1, 0]);
    }
  });

  it('are apart from those of other workspaces and of the other environment', async () => {
    await using store = await openTestStore();
    const development = { ...SCOPE, environment: 'development' } as const;
    const [mpid = 0n] = await receive(store, '2026-01-01T00:00:00Z', { batches: [of('ann', 1)] });
    await receive(store, '2026-01-01T00:00:00Z', { batches: [of('ann', 2)], scope: ELSEWHERE });
    await receive(store, '2026-01-01T00:00:00Z', { batches: [of('ann', 3)], scope: development });
    // one MPID everywhere is not what happens; it shows that nothing else keeps them apart
    await store.execute('UPDATE event_batches SET mpid = $1', [mpid]);
    const read = async (scope: Omit<Parameters<typeof readBatches>[1], 'mpid'>) =>
      numbers(await readBatches(store, { ...scope, mpid }, { limit: 10 }));
    expect(await read({ workspaceId: workspace, environment: 'production' })).toEqual([1]);
    expect(await read({ workspaceId: workspace, environment: 'development' })).toEqual([3]);
    expect(await read({ workspaceId: workspace })).toEqual(expect.arrayContaining([1, 3]));
    expect(await read({ workspaceId: ELSEWHERE.workspaceId })).toEqual([2]);
    expect(await eraseBatches(store, { workspaceId: workspace, mpid, environment: 'development' })).toEqual({
      erased: 1,
    });
    expect(await read({ workspaceId: workspace })).toEqual([1]);
    expect(await eraseBatches(store, { workspaceId: workspace, mpid })).toEqual({ erased: 1 });
    expect(await read({ workspaceId: ELSEWHERE.workspaceId })).toEqual([2]);
  });

  it('are erased in every month, the default partition too, and nobody else’s', async () => {
    await using store = await openTestStore();
    const both = { batches: [of('ann', 1), of('ben', 2)] };
    const [mpid = 0n] = await receive(store, '2026-01-31T00:00:00Z', both);
    await receive(store, '2026-02-01T00:00:00Z', both);
    const stray = fakeClock(Date.parse('2019-02-01T00:00:00Z'));
    await deliverBatches(store, both.batches, { clock: stray });
    expect(await eraseBatches(store, { workspaceId: workspace, mpid })).toEqual({ erased: 3 });
    expect(numbers(await readLog(store))).toEqual([2, 2, 2]);
  });
});

describe('retention', () => {
  const since = (time: string) => ({ workspaceId: workspace, batchesSince: new Date(time) });

  it('deletes what a workspace received before its time, to the millisecond, and nothing of another one', async () => {
    await using store = await openTestStore();
    await receive(store, '2025-06-01T00:00:00.000Z', { batches: [of('ann', 1), of('ben', 2)] });
    await receive(store, '2026-01-14T23:59:59.999Z', { batches: [of('ann', 3)] });
    await receive(store, '2026-01-15T00:00:00.000Z', { batches: [of('ann', 4)] });
    await receive(store, '2025-06-01T00:00:00.000Z', { batches: [of('ann', 5)], scope: ELSEWHERE });
    expect(await expireBatches(store, since('2026-01-15T00:00:00.000Z'), signal)).toBe(3);
    expect(numbers(await readLog(store))).toEqual([5, 4]);
    expect(await expireBatches(store, since('2026-01-15T00:00:00.000Z'), signal)).toBe(0);
  });

  it('deletes more than one statement does, batches without MPID and those in the default partition too', async () => {
    await using store = await openTestStore();
    await store.execute(
      `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
       SELECT 7, n % 7, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute', n, 0, '{}' FROM generate_series(1, 12000) n`,
    );
    expect(await expireBatches(store, since('2026-01-08T22:41:00.000Z'), signal)).toBe(11_440);
    expect(await readLog(store)).toHaveLength(560);
  });

  it('follows the setting of each workspace, 24 months by default, by the calendar', async () => {
    await using access = await openTestAccess({ withoutSigningKey: true });
    const { workspaceId: usual } = await someWorkspace(access);
    const { workspaceId: short } = await someWorkspace(access);
    await access.store.execute('INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, $2, 1)', [
      short,
      JSON.stringify({ retention: { batches_months: 1 } }),
    ]);
    access.clock.advance(Date.parse('2026-03-31T12:00:00Z') - access.clock.nowMs());
    const found = new Map<bigint, string>();
    for (const id of await workspaceIds(access.store)) {
      found.set(id, (await readRetention(access, id)).batchesSince.toISOString());
    }
    expect(found.get(usual)).toBe('2024-03-31T12:00:00.000Z');
    expect(found.get(short)).toBe('2026-02-28T12:00:00.000Z');
  });

  it('stops when it is told to', async () => {
    await using store = await openTestStore();
    await receive(store, '2025-06-01T00:00:00Z', { batches: [of('ann', 1)] });
    expect(await expireBatches(store, since('2026-01-15T00:00:00Z'), AbortSignal.abort())).toBe(0);
  });
});
