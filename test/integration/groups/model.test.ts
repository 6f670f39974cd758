// The SQL of the groups against their rules (D-069, D-070) over plain maps: after any sequence of attribute changes,
// joins, leaves, definition changes, erasures and runs, every profile reads as the model says.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Aggregation, GroupAttribute } from '../../../src/groups/definition.ts';
import { replacement } from '../../../src/groups/save-definition.ts';
import { openTestGroups, type TestGroups, WORKSPACE } from '../../support/people/groups.ts';
import { createGroupsModel } from '../../support/people/groups-model.ts';

const VALUES = ['1', '-2.5', '"3"', '"x"', 'true', '"true"', 'false', '1e20', '0.1', '["a"]', '9007199254740993', null];
const people = fc.integer({ min: 0, max: 14 }).map((n) => `p${n}`);
const environment = fc.constantFrom('production' as const, 'development' as const);
const at = fc.bigInt({ min: 1n, max: 30n });
const attributes: fc.Arbitrary<GroupAttribute[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('x', 'y', 'company'),
    type: fc.constantFrom<Aggregation>('latest', 'boolean_or', 'sum', 'average'),
  }),
  { selector: ({ id }) => id, maxLength: 3 },
);

const action = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      who: people,
      environment,
      at,
      name: fc.constantFrom('x', 'y', 'x'),
      value: fc.constantFrom(...VALUES),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      who: people,
      environment,
      at,
      name: fc.constantFrom('company', 'city'),
      value: fc.constantFrom('"A"', '"A"', '"A"', '"B"', '5', '"5"', '""', null),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('define' as const),
      source: fc.constantFrom('company', 'company', 'city'),
      attributes,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase' as const), who: people, environment }) },
);

type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

interface Both {
  readonly groups: TestGroups;
  readonly model: ReturnType<typeof createGroupsModel>;
}

/** Does it to both. */
const DO: { readonly [Kind in Action['kind']]: (both: Both, one: Extract<Action, { kind: Kind }>) => Promise<void> } = {
  async say({ groups, model }, one) {
    const mpid = await groups.say(one.who, { [one.name]: one.value }, one);
    model.say(one.environment, mpid, one);
  },
  async run({ groups, model }) {
    const counts = model.run();
    if (counts === undefined) await expect(groups.request()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    else expect((await groups.run()).counts).toMatchObject(counts);
  },
  async define({ groups, model }, { source, attributes: given }) {
    const body = { description: '', source_user_attribute: source, attributes: given };
    await (model.isDefined() ? groups.change(replacement(body)) : groups.define(body));
    model.define({ source, attributes: given });
  },
  async remove({ groups, model }) {
    if (model.isDefined()) await groups.remove();
    model.remove();
  },
  async erase({ groups, model }, { who, environment: where }) {
    const mpid = model.mpidOf(where, who);
    if (mpid === undefined) return;
    await groups.erase([mpid], where);
    const identities = 'DELETE FROM profile_identities WHERE workspace_id = $1 AND mpid = $2';
    await groups.deps.store.execute(identities, [WORKSPACE, mpid]);
    model.erase(where, mpid);
  },
};

const TABLES = `profiles, profile_identities, group_definitions, group_members, group_attributes, group_candidates, group_runs`;

test('every profile reads as the model says, after whatever happened', async () => {
  await using groups = await openTestGroups();
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 60 }), async (actions) => {
      await groups.deps.store.execute(`TRUNCATE ${TABLES}`);
      const both = { groups, model: createGroupsModel() };
      for (const one of [...actions, { kind: 'run' } as const]) {
        await (DO[one.kind] as (both: Both, one: Action) => Promise<void>)(both, one);
        await expectAlike(both);
      }
    }),
    { numRuns: 15 },
  );
});

async function expectAlike({ groups, model }: Both): Promise<void> {
  for (const { mpid, environment: where, inherited } of model.everybody())
    expect({ mpid, ...(await groups.inherited(mpid, where)) }).toEqual({ mpid, ...inherited });
}
