import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { patch, replacement } from '../../../src/groups/save-definition.ts';
import { DEFINITION, openTestGroups, type TestGroups, WORKSPACE } from '../../support/people/groups.ts';

const ACME = { company: '"Acme"' };

let groups: TestGroups;
beforeEach(async () => {
  groups = await openTestGroups();
  await groups.define();
});
afterEach(() => groups[Symbol.asyncDispose]());

describe('members', () => {
  test('are the ten who had the grouping attribute first, ties by MPID; the rest are counted', async () => {
    const mpids: bigint[] = [];
    for (let n = 0; n < 11; n++) mpids.push(await groups.say(`c${n}`, { ...ACME, revenue: '1' }, { at: 5n }));
    mpids.sort((one, other) => (one < other ? -1 : 1));
    mpids.push(await groups.say('c11', { ...ACME, revenue: '1' }, { at: 1n }));
    const run = await groups.run();
    const seen = await Promise.all(mpids.map((mpid) => groups.inherited(mpid)));
    // the last one came first, and of the others the two of the highest MPIDs found no place
    expect(seen.map((said) => said?.revenue)).toEqual([...Array(9).fill('10'), undefined, undefined, '10']);
    expect(run.counts.production).toEqual({ profiles: 12, groups: 1, members: 10, leftOut: 2, changedProfiles: 10 });
  });

  test('who leaves makes room for the next, and takes nothing along', async () => {
    const mpids: bigint[] = [];
    for (let n = 0; n < 11; n++) mpids.push(await groups.say(`c${n}`, { ...ACME, revenue: '1' }, { at: BigInt(n) }));
    await groups.run();
    await groups.say('c3', { company: null }, { at: 20n });
    const { counts } = await groups.run();
    expect(await groups.inherited(mpids[3] as bigint)).toEqual({});
    expect(await groups.inherited(mpids[10] as bigint)).toEqual({ revenue: '10' });
    expect(counts.production).toMatchObject({ members: 10, leftOut: 0, changedProfiles: 2 });
  });

  test('who moves counts in the new group alone, once', async () => {
    const a = await groups.say('a', { ...ACME, revenue: '1' });
    const b = await groups.say('b', { ...ACME, revenue: '2' });
    const c = await groups.say('c', { company: '"Other"', revenue: '4' });
    await groups.run();
    await groups.say('a', { company: '"Other"' }, { at: 9n });
    const { counts } = await groups.run();
    expect(await Promise.all([a, b, c].map((mpid) => groups.inherited(mpid)))).toEqual([
      { revenue: '5' },
      { revenue: '2' },
      { revenue: '5' },
    ]);
    expect(counts.production).toEqual({ profiles: 3, groups: 2, members: 3, leftOut: 0, changedProfiles: 3 });
  });

  test('share a value as text: a number and its digits are one, empty ones nobody’s', async () => {
    const [a, b, c, d, e] = [
      await groups.say('a', { company: '7', revenue: '1' }),
      await groups.say('b', { company: '"7"', revenue: '1' }),
      await groups.say('c', { company: '"07"', revenue: '1' }),
      await groups.say('d', { company: '""', revenue: '1' }),
      await groups.say('e', { revenue: '1' }),
    ];
    const { counts } = await groups.run();
    const seen = await Promise.all([a, b, c, d, e].map((mpid) => groups.inherited(mpid)));
    expect(seen).toEqual([{ revenue: '2' }, { revenue: '2' }, { revenue: '1' }, {}, {}]);
    expect(counts.production).toMatchObject({ groups: 2, members: 3 });
  });

  test('of one environment are nothing to the other', async () => {
    const a = await groups.say('a', { ...ACME, revenue: '1' });
    const b = await groups.say('a', { ...ACME, revenue: '2' }, { environment: 'development' });
    const { counts } = await groups.run();
    expect(await groups.inherited(a)).toEqual({ revenue: '1' });
    expect(await groups.inherited(b, 'development')).toEqual({ revenue: '2' });
    expect(counts.development).toMatchObject({ groups: 1, members: 1 });
  });

  test('keep their aggregates between runs, whatever changes', async () => {
    const a = await groups.say('a', { ...ACME, revenue: '1' });
    await groups.run();
    await groups.say('a', { revenue: '5' }, { at: 9n });
    await groups.say('b', { ...ACME, revenue: '3' });
    expect(await groups.inherited(a)).toEqual({ revenue: '1' });
    await groups.run();
    expect(await groups.inherited(a)).toEqual({ revenue: '8' });
  });

  test('see what the group gives before an attribute of their own with that name', async () => {
    const a = await groups.say('a', { ...ACME, revenue: '1', 'acme:revenue': '"mine"' });
    expect(await groups.inherited(a)).toEqual({ revenue: '"mine"' });
    await groups.run();
    expect(await groups.inherited(a)).toEqual({ revenue: '1' });
    await groups.remove();
    expect(await groups.inherited(a)).toEqual({ revenue: '"mine"' });
  });
});

describe('a definition', () => {
  test('that goes takes its attributes from all profiles at once, and who belonged together is forgotten', async () => {
    const a = await groups.say('a', { ...ACME, revenue: '1' });
    await groups.run();
    await groups.remove();
    expect(await groups.inherited(a)).toEqual({});
    expect(groups.woken.at(-1)).toBe('7/groups');
    await groups.work();
    expect(await groups.deps.store.query('SELECT 1 FROM group_members WHERE workspace_id = $1', [WORKSPACE])).toEqual(
      [],
    );
  });

  test('that loses an attribute, or gives it another type, takes it from the profiles at once', async () => {
    await groups.change(
      patch({
        attributes: [
          { id: 'score', type: 'sum' },
          { id: 'plan', type: 'latest' },
        ],
      }),
    );
    const a = await groups.say('a', { ...ACME, revenue: '1', score: '2', plan: '"x\\"y"' });
    await groups.run();
    await groups.change(patch({ attributes: [{ id: 'score', type: 'average' }] }));
    expect(await groups.inherited(a)).toEqual({ revenue: '1', plan: '"x\\"y"' });
    const { description, source_user_attribute } = DEFINITION;
    const plan = [{ id: 'plan', type: 'latest' }];
    await groups.change(replacement({ description, source_user_attribute, attributes: plan }));
    expect(await groups.inherited(a)).toEqual({ plan: '"x\\"y"' });
    await groups.run();
    expect(await groups.inherited(a)).toEqual({ plan: '"x\\"y"' });
  });

  test('with another grouping attribute takes all at once, and the next run finds the new groups', async () => {
    const a = await groups.say('a', { ...ACME, city: '"Uppsala"', revenue: '1' });
    const b = await groups.say('b', { city: '"Uppsala"', revenue: '2' });
    await groups.run();
    const { description, attributes } = DEFINITION;
    await groups.change(replacement({ description, source_user_attribute: 'city', attributes }));
    expect(await groups.inherited(a)).toEqual({});
    await groups.run();
    expect(await groups.inherited(a)).toEqual({ revenue: '3' });
    expect(await groups.inherited(b)).toEqual({ revenue: '3' });
  });
});

describe('an erased person', () => {
  test('is out of every aggregate at once, and the others keep their group', async () => {
    const a = await groups.say('a', { ...ACME, revenue: '1' });
    const b = await groups.say('b', { ...ACME, revenue: '2' });
    const alone = await groups.say('c', { company: '"Alone"', revenue: '4' });
    await groups.run();
    expect(await groups.erase([b, alone])).toBe(2);
    expect(await groups.inherited(a)).toEqual({ revenue: '1' });
    expect(await groups.keptGroups()).toBe(1);
    expect(await groups.erase([a])).toBe(1);
    expect(await groups.keptGroups()).toBe(0);
  });

  test('is forgotten by a run under way that has read them, and the next one takes the place', async () => {
    for (let n = 0; n < 12; n++) await groups.say(`c${n}`, { ...ACME, revenue: '1' }, { at: BigInt(n) });
    const first = await groups.say('c0', {});
    const last = await groups.say('c11', {});
    await groups.request();
    await groups.work({ until: ({ progress }) => progress?.stage === 1 });
    await groups.erase([first]);
    await groups.work();
    expect(await groups.inherited(last)).toEqual({});
    expect(await groups.inherited(await groups.say('c10', {}))).toEqual({ revenue: '10' });
  });

  test('of nobody’s group changes nothing, and no definition is needed', async () => {
    await groups.remove();
    const a = await groups.say('a', {});
    expect(await groups.erase([a])).toBe(0);
    expect(await groups.erase([])).toBe(0);
  });
});
