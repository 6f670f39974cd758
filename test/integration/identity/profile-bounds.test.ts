// A profile has bounds: what would pass them is refused whole, and what was above them before may still shrink.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/identity/identity-types.ts';
import { type ResolutionScope, readProfile } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliverWith, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { expectWholePeople } from '../../support/people/expect-whole-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

let workspaces = 100n;
const scopeWith = (attributes: number, attributeBytes: number): ResolutionScope => ({
  ...SCOPE,
  workspaceId: workspaceId(workspaces++),
  policy: { ...DEFAULT_POLICY, bounds: { identities: 100, attributes, attributeBytes } },
});
const scopeOfIdentities = (identities: number): ResolutionScope => ({
  ...scopeWith(100, 100_000),
  policy: { ...DEFAULT_POLICY, bounds: { identities, attributes: 100, attributeBytes: 100_000 } },
});
const text = (length: number) => JSON.stringify('x'.repeat(length));
const KEPT = { mpid: expect.any(BigInt) };
const full = (reason: string) => ({
  rule: 'profile_full',
  field: 'user_attributes',
  reason: expect.stringContaining(reason),
});

describe.each([
  ['few people', testIdentities()],
  ['people that are staged', testIdentities({ smallChunkPeople: 0 })],
])('among %s', (_, identities) => {
  const deliver = (people: Parameters<typeof deliverWith>[2]['people'], scope: ResolutionScope) =>
    deliverWith(identities, store, { people, scope });
  const attributesOf = async (scope: ResolutionScope, mpid: bigint) =>
    (await readProfile(store, scope, mpid))?.attributes.map(({ name }) => name).toSorted();

  it('what would pass the bytes is refused, with all that it says, and its neighbours are kept', async () => {
    const scope = scopeWith(100, 1000);
    const [ann = 0n] = mpidsOf(await deliver([person({ customer_id: 'ann' }, { a: text(500) })], scope));
    const { outcomes } = await deliver(
      [
        person({ customer_id: 'ann', email: 'ann@x' }, { b: text(600) }, 2n),
        person({ customer_id: 'ann' }, { c: text(50) }, 2n),
        person({ email: 'ann@x' }, { d: text(50) }, 2n),
      ],
      scope,
    );
    expect(outcomes).toMatchObject([full('limits.profile_attribute_bytes allows 1000'), { mpid: ann }, KEPT]);
    expect(await attributesOf(scope, ann)).toEqual(['a', 'c']);
    // the e-mail of the refused row is on nobody: the last one makes a person of their own
    const [, , other] = outcomes;
    expect(other).not.toHaveProperty('mpid', ann);
    expect((await readProfile(store, scope, ann))?.identities).toEqual([{ type: 'customer_id', value: 'ann' }]);
    await expectWholePeople(store, scope.workspaceId);
  });

  it('what would pass the number is refused, and as many as the bound are kept', async () => {
    const scope = scopeWith(2, 100_000);
    const { outcomes } = await deliver(
      [
        person({ customer_id: 'ann' }, { a: '1', b: '2' }, 1n),
        person({ customer_id: 'ann' }, { c: '3' }, 2n),
        person({ customer_id: 'ann' }, { a: '4' }, 3n),
        person({ customer_id: 'bob' }, { a: '1', b: '2', c: '3' }, 3n),
      ],
      scope,
    );
    const refusal = full('would hold 3 attributes, and limits.profile_attributes allows 2');
    expect(outcomes).toMatchObject([KEPT, refusal, KEPT, refusal]);
    const [ann, , again] = outcomes;
    expect(again).toEqual(ann);
    expect(ann !== undefined && 'mpid' in ann && (await attributesOf(scope, ann.mpid ?? 0n))).toEqual(['a', 'b']);
    await expectWholePeople(store, scope.workspaceId);
  });

  it('a profile that is above its bounds already may shrink and be found, but not grow', async () => {
    const { policy, ...unbounded } = scopeWith(2, 200);
    const scope = { ...unbounded, ...(policy !== undefined && { policy }) };
    const attributes = { a: text(300), b: text(300), c: '1', d: '2' };
    const [ann = 0n] = mpidsOf(await deliver([person({ customer_id: 'ann' }, attributes)], unbounded));
    const say = async (said: Record<string, string | null>, setAt: bigint) => {
      const { outcomes } = await deliver([person({ customer_id: 'ann' }, said, setAt)], scope);
      return outcomes[0];
    };
    expect(await say({}, 2n)).toEqual({ mpid: ann });
    expect(await say({ e: '1' }, 3n)).toMatchObject(full('limits.profile_attribute'));
    expect(await say({ nothing: null }, 3n)).toMatchObject(full('limits.profile_attribute'));
    // times of names that were never there outweigh the attribute that goes
    const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${text(60)}${index}`, null]));
    expect(await say({ b: null, ...unknown }, 3n)).toMatchObject(full('limits.profile_attribute'));
    expect(await say({ a: text(100) }, 4n)).toEqual({ mpid: ann });
    expect(await say({ b: null, c: null }, 5n)).toEqual({ mpid: ann });
    expect(await attributesOf(scope, ann)).toEqual(['a', 'd']);
  });

  const identitiesOf = async (scope: ResolutionScope, mpid: bigint) =>
    (await readProfile(store, scope, mpid))?.identities.map(({ value }) => value).toSorted();
  const tooMany = (reason: string) => ({ ...full(reason), field: 'user_identities' });

  it('identities that would pass the bound are refused with all that comes along, and as many as the bound are kept', async () => {
    const scope = scopeOfIdentities(3);
    const [ann = 0n] = mpidsOf(await deliver([person({ customer_id: 'ann', email: 'a@x' })], scope));
    const { outcomes } = await deliver(
      [
        person({ customer_id: 'ann', google: 'g', yahoo: 'y' }, { refused: '1' }, 2n),
        person({ customer_id: 'ann', mp_deviceid: 'd1' }, { kept: '1' }, 2n),
        person({ customer_id: 'ann', mp_deviceid: 'd2' }, {}, 2n),
        person({ customer_id: 'ann', mp_deviceid: 'd2' }, {}, 2n),
        person({ customer_id: 'ann', email: 'A@X' }, { too: '1' }, 2n),
        person({ customer_id: 'bob', google: 'g' }, {}, 2n),
        person({ customer_id: 'cid', email: 'c@x', google: 'c', yahoo: 'c' }, {}, 2n),
      ],
      scope,
    );
    const four = tooMany('would hold 4 identities, and limits.profile_identities allows 3');
    expect(outcomes.slice(0, 5)).toMatchObject([four, { mpid: ann }, four, four, { mpid: ann }]);
    expect(outcomes.slice(5)).toMatchObject([{ mpid: expect.any(BigInt) }, four]);
    expect(await identitiesOf(scope, ann)).toEqual(['a@x', 'ann', 'd1']);
    expect(await attributesOf(scope, ann)).toEqual(['kept', 'too']);
    await expectWholePeople(store, scope.workspaceId);
  });

  it('a profile with more identities than the bound is found and takes attributes, but gains no identity', async () => {
    const { policy, ...unbounded } = scopeOfIdentities(2);
    const scope = { ...unbounded, ...(policy !== undefined && { policy }) };
    const held = { customer_id: 'ann', email: 'a@x', google: 'g', yahoo: 'y' };
    const [ann = 0n] = mpidsOf(await deliver([person(held)], unbounded));
    const { outcomes } = await deliver(
      [person(held, { a: '1' }, 2n), person({ ...held, twitter: 't' }, { b: '1' }, 2n), person({ customer_id: 'ann' })],
      scope,
    );
    const refusal = tooMany('would hold 5 identities, and limits.profile_identities allows 2');
    expect(outcomes).toMatchObject([{ mpid: ann }, refusal, { mpid: ann }]);
    expect(await attributesOf(scope, ann)).toEqual(['a']);
  });

  it('a profile at the bound still takes a proof of what a public key brought', async () => {
    const scope = scopeOfIdentities(2);
    const [ann = 0n] = mpidsOf(await deliver([person({ customer_id: 'ann' })], scope));
    const both = person({ customer_id: 'ann', email: 'a@x' });
    expect(mpidsOf(await deliver([{ ...both, isPublic: true }], scope))).toEqual([ann]);
    expect(mpidsOf(await deliver([both], scope))).toEqual([ann]);
    expect((await readProfile(store, scope, ann))?.identities).toEqual([
      { type: 'email', value: 'a@x' },
      { type: 'customer_id', value: 'ann' },
    ]);
  });
});
