import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  expireGroupRuns,
  listGroupRuns,
  requestGroupRun,
  requestWeeklyRuns,
  workGroupRuns,
} from '../../../src/groups/index.ts';
import { patch } from '../../../src/groups/save-definition.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import { openTestGroups, type TestGroups, WORKSPACE } from '../../support/people/groups.ts';

let groups: TestGroups;
beforeEach(async () => {
  groups = await openTestGroups();
  await groups.define();
  for (let n = 0; n < 25; n++) {
    await groups.say(`c${n}`, { company: `"Acme ${n % 4}"`, revenue: String(n) }, { at: BigInt(n) });
  }
});
afterEach(() => groups[Symbol.asyncDispose]());

const ALL = { limit: 100, offset: 0, from: undefined, to: undefined };
const runs = () => listGroupRuns(groups.deps.store, WORKSPACE, ALL);

async function everybody() {
  const mpids = await groups.deps.store.query<{ mpid: bigint }>(
    'SELECT mpid FROM profiles WHERE workspace_id = $1 ORDER BY mpid',
    [WORKSPACE],
  );
  return Promise.all(mpids.map(({ mpid }) => groups.inherited(mpid)));
}

/** The same store, whose nth statement fails: as a kill there, nothing of its transaction is kept. */
function dyingStore(store: Store, diesAt: number): Store {
  let statements = 0;
  const mortal = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get(target, name) {
        const value = target[name as keyof Transaction];
        if (name !== 'query' && name !== 'execute') return value;
        return (...args: readonly unknown[]) => {
          if (statements++ === diesAt) throw new Error('killed');
          return (value as (...args: readonly unknown[]) => unknown)(...args);
        };
      },
    });
  return {
    ...store,
    query: store.query,
    transaction: (work, options) => store.transaction((tx) => work(mortal(tx)), options),
  };
}

test('a run that is killed at any statement goes on there, and the report is that of one that was not', async () => {
  const whole = await groups.run();
  const expected = await everybody();
  for (let diesAt = 0, died = true; died; diesAt += 3) {
    await groups.deps.store.execute('DELETE FROM group_members WHERE workspace_id = $1', [WORKSPACE]);
    await groups.deps.store.execute('DELETE FROM group_attributes WHERE workspace_id = $1', [WORKSPACE]);
    await groups.request();
    const dying = { ...groups.deps, store: dyingStore(groups.deps.store, diesAt) };
    died = await workGroupRuns(dying, { workspaceId: WORKSPACE }).then(
      () => false,
      () => true,
    );
    await groups.work();
    const [run] = await runs();
    expect({ diesAt, ...run?.counts }).toEqual({ diesAt, ...whole.counts });
    expect(await everybody()).toEqual(expected);
  }
});

test('two daemons take the steps of one run in turn, and it happens once', async () => {
  const whole = await groups.run();
  const expected = await everybody();
  await groups.deps.store.execute('DELETE FROM group_members WHERE workspace_id = $1', [WORKSPACE]);
  await groups.deps.store.execute('DELETE FROM group_attributes WHERE workspace_id = $1', [WORKSPACE]);
  await groups.request();
  await Promise.all([groups.work(), groups.work(), groups.work()]);
  const [run] = await runs();
  expect(run).toMatchObject({ status: 'success', counts: whole.counts });
  expect(await everybody()).toEqual(expected);
});

test('a Monday has one run, however many daemons ask for it and however often', async () => {
  const monday = new Date('2026-01-19T00:00:00Z');
  const ask = () => requestWeeklyRuns(groups.deps, monday);
  await Promise.all([ask(), ask(), ask()]);
  await groups.work();
  await ask();
  await groups.work();
  expect(await runs()).toMatchObject([{ type: 'weekly', dueOn: monday, status: 'success', requestedBy: 'schedule' }]);
  await requestWeeklyRuns(groups.deps, new Date('2026-01-26T00:00:00Z'));
  expect(await runs()).toHaveLength(2);
});

test('a workspace without a definition has no weekly run', async () => {
  await groups.remove();
  await requestWeeklyRuns(groups.deps, new Date('2026-01-19T00:00:00Z'));
  expect(await runs()).toEqual([]);
});

test('a run that waits is answered to who asks for another one; one that has begun is not', async () => {
  const first = await groups.request();
  expect((await groups.request()).id).toBe(first.id);
  await groups.work({ until: ({ progress }) => progress?.stage === 1 });
  expect((await groups.request()).id).toBe(first.id + 1n);
  await groups.work();
  expect((await runs()).map(({ status }) => status)).toEqual(['success', 'success']);
});

test('a run that meets another definition begins again with it', async () => {
  await groups.request();
  await groups.work({ until: ({ progress }) => progress?.stage === 3 });
  await groups.change(patch({ attributes: [{ id: 'revenue', type: 'average' }] }));
  await groups.work();
  const [run] = await runs();
  expect(run).toMatchObject({ status: 'success', counts: { production: { profiles: 25, groups: 4, members: 25 } } });
  const revenues = (await everybody()).map((said) => said?.revenue);
  expect(new Set(revenues)).toEqual(new Set(['11', '12', '13']));
});

test('a run whose definition is deleted is stopped, and says so', async () => {
  await groups.request();
  await groups.work({ until: ({ progress }) => progress?.stage === 2 });
  await groups.remove();
  await groups.work();
  expect(await runs()).toMatchObject([{ status: 'stopped', error: 'The group definition "acme" was deleted.' }]);
  expect(new Set((await everybody()).map((said) => JSON.stringify(said)))).toEqual(new Set(['{}']));
  const left = await groups.deps.store.query('SELECT 1 FROM group_candidates WHERE workspace_id = $1', [WORKSPACE]);
  expect(left).toEqual([]);
});

test('a run whose step fails five times is failed, without the words of the store', async () => {
  await groups.request();
  await groups.deps.store.execute(
    `UPDATE profiles SET attributes = '{"company":"secret name' WHERE workspace_id = $1`,
    [WORKSPACE],
  );
  for (let time = 0; time < 5; time++) await expect(groups.work()).rejects.toThrow();
  await groups.work();
  const [run] = await runs();
  expect(run).toMatchObject({ status: 'failed', failures: 5 });
  expect(run?.error).not.toContain('secret');
});

test('no run, no member and no group is left of one whose definition never was', async () => {
  await groups.remove();
  await expect(requestGroupRun(groups.deps, { workspaceId: WORKSPACE, actor: 'x' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('reports go when the workspace keeps them no longer', async () => {
  await groups.run();
  const since = (ms: number) => ({ runsSince: new Date(groups.deps.clock.nowMs() + ms) });
  const retention = {
    workspaceId: WORKSPACE,
    batchesSince: new Date(),
    failedRecordsSince: new Date(),
    changesSince: new Date(),
  };
  const signal = new AbortController().signal;
  expect(await expireGroupRuns(groups.deps.store, { ...retention, ...since(0) }, signal)).toBe(0);
  expect(await expireGroupRuns(groups.deps.store, { ...retention, ...since(1) }, signal)).toBe(1);
});
