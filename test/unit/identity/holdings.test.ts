import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/identity/index.ts';
import { type HeldSlot, Holdings, type KeyedIdentity } from '../../../src/identity/requests/holdings.ts';

const TYPES = ['customer_id', 'email', 'other'] as const;
const keyed = (type: Identity['type'], value: string): KeyedIdentity => ({ type, value, key: `${type} ${value}` });
const NOT_PUBLIC = { isPublic: false };

const ERASED = new Set([keyed('email', 'erased').key]);

const RULES = { mostIdentities: 100 };

/** Profiles 1, 2 … with these identities; who comes first owns what is shared. */
function holdingsOf(held: readonly (readonly KeyedIdentity[])[]) {
  const slots: HeldSlot[] = [];
  for (const [index, identities] of held.entries()) {
    for (const { key } of identities) {
      slots.push({
        key,
        slot: slots.filter((slot) => slot.key === key).length,
        mpid: BigInt(index + 1),
        ...NOT_PUBLIC,
      });
    }
  }
  const profiles = held.map((all, index) => ({
    ...{ mpid: BigInt(index + 1), version: 1 },
    identities: all.map(({ type, value }) => ({ type, value, ...NOT_PUBLIC })),
    former: [],
  }));
  return { slots, holdings: new Holdings({ ...RULES, loginTypes: ['customer_id'], erased: ERASED, profiles, slots }) };
}

const request = (mpid: bigint, ...changes: (readonly [KeyedIdentity | undefined, KeyedIdentity | undefined])[]) => ({
  ...{ mpid, isPublic: false },
  changes: changes.map(([from, to]) => ({ from, to })),
});

/** The slots as they are once the changes are written. */
function written(slots: readonly HeldSlot[], holdings: Holdings): readonly HeldSlot[] {
  const { freed, taken } = holdings.changedSlots();
  const isSame = (left: HeldSlot, right: HeldSlot) => left.key === right.key && left.slot === right.slot;
  for (const one of freed) expect(slots).toContainEqual(one);
  const left = slots.filter((slot) => !freed.some((one) => isSame(one, slot)));
  for (const one of taken) expect(left.some((slot) => isSame(slot, one))).toBe(false);
  return [...left, ...taken];
}

describe('modifications of one group', () => {
  it('see each other: a login identity that one gives up is free for the next', () => {
    const login = keyed('customer_id', 'c');
    const { slots, holdings } = holdingsOf([[login], []]);
    expect(holdings.modify(request(2n, [undefined, login]))).toMatchObject({ code: 'IDENTITY_CONFLICT' });
    expect(holdings.modify(request(1n, [login, undefined]))).toBeUndefined();
    expect(holdings.modify(request(2n, [undefined, login]))).toBeUndefined();
    expect(written(slots, holdings)).toEqual([{ key: login.key, slot: 0, mpid: 2n, ...NOT_PUBLIC }]);
    expect(holdings.changedProfiles().map(({ mpid }) => mpid)).toEqual([1n, 2n]);
  });

  it('swap login identities within one request of each profile', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((value) => keyed('customer_id', value));
    const { holdings } = holdingsOf([[a as KeyedIdentity], [b as KeyedIdentity]]);
    expect(holdings.modify(request(1n, [a, c]))).toBeUndefined();
    expect(holdings.modify(request(2n, [b, a]))).toBeUndefined();
    expect(holdings.modify(request(1n, [c, b]))).toBeUndefined();
    expect(holdings.changedProfiles().map(({ identities }) => identities[0]?.value)).toEqual(['b', 'a']);
  });

  it('share an identity among 64 profiles, and refuse the next', () => {
    const email = keyed('email', 'a');
    const { holdings } = holdingsOf([...Array.from({ length: 63 }, () => [email]), [], []]);
    expect(holdings.modify(request(64n, [undefined, email]))).toBeUndefined();
    expect(holdings.modify(request(65n, [undefined, email]))).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('remember what a profile gives up, as it had written it, until it takes that back', () => {
    const [first, other] = [keyed('email', 'Ann@x'), keyed('other', 'o')];
    const { holdings } = holdingsOf([[first, other]]);
    const former = () => holdings.changedProfiles().map((profile) => profile.former.map(({ value }) => value));
    expect(holdings.modify(request(1n, [{ ...first, value: 'ann@X' }, keyed('email', 'b@x')]))).toBeUndefined();
    expect(holdings.modify(request(1n, [other, undefined]))).toBeUndefined();
    expect(former()).toEqual([['o', 'Ann@x']]);
    expect(holdings.modify(request(1n, [undefined, other]))).toBeUndefined();
    expect(former()).toEqual([['Ann@x']]);
  });

  it('remember 1,000 and what is taken off beyond, and then refuse to take on more', () => {
    const email = (index: number) => keyed('email', `${index}@x`);
    const { holdings } = holdingsOf([[email(0)]]);
    const changes = Array.from({ length: 1_000 }, (_, index) => [email(index), email(index + 1)] as const);
    expect(holdings.modify(request(1n, ...changes))).toBeUndefined();
    expect(holdings.modify(request(1n, [undefined, keyed('other', 'o')]))).toBeUndefined();
    expect(holdings.modify(request(1n, [email(1_000), email(1_001)]))).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(holdings.modify(request(1n, [email(1_000), undefined]))).toBeUndefined();
    expect(holdings.changedProfiles().map(({ former }) => former.length)).toEqual([1_001]);
    expect(holdings.modify(request(1n, [undefined, email(1_001)]))).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('keep nothing of a request that brings an erased identity back, and whatever only takes it off', () => {
    const [login, email, erased] = [keyed('customer_id', 'c'), keyed('email', 'a'), keyed('email', 'erased')];
    const { holdings } = holdingsOf([[login, email]]);
    expect(holdings.modify(request(1n, [email, undefined], [undefined, erased]))).toEqual({ erased: true });
    expect(holdings.changedProfiles()).toEqual([]);
    expect(holdings.modify(request(2n, [undefined, erased]))).toMatchObject({ code: 'NOT_FOUND' });
    const anonymous = { ...request(1n, [undefined, erased]), isPublic: true };
    expect(holdings.modify(anonymous)).toMatchObject({ code: 'FORBIDDEN' });
    expect(holdings.modify(request(1n, [erased, undefined]))).toBeUndefined();
  });

  it('lose the race where a profile lists what no row says, or a row says what it does not list', () => {
    const email = keyed('email', 'a');
    const profile = { mpid: 1n, version: 1, former: [] };
    const listed = new Holdings({
      ...{ ...RULES, loginTypes: [] },
      erased: new Set(),
      profiles: [{ ...profile, identities: [{ ...email, ...NOT_PUBLIC }] }],
      slots: [],
    });
    expect(() => listed.modify(request(1n, [email, undefined]))).toThrow(
      expect.objectContaining({ code: 'STORE_CONFLICT' }),
    );
    const slots = [{ key: email.key, slot: 0, mpid: 1n, ...NOT_PUBLIC }];
    const nothing = [{ ...profile, identities: [] }];
    const held = new Holdings({ ...RULES, loginTypes: [], erased: new Set(), profiles: nothing, slots });
    expect(() => held.modify(request(1n, [undefined, email]))).toThrow(
      expect.objectContaining({ code: 'STORE_CONFLICT' }),
    );
  });

  it('leave rows and lists that agree, an owner for every identity, and one profile for a login identity', () => {
    const identity = fc
      .tuple(fc.constantFrom(...TYPES), fc.constantFrom('1', '2'))
      .map(([type, value]) => keyed(type, value));
    const changes = fc.array(
      fc.tuple(fc.option(identity, { nil: undefined }), fc.option(identity, { nil: undefined })),
      { maxLength: 4 },
    );
    const shareable = identity.filter(({ type }) => type !== 'customer_id');
    const held = fc.array(fc.uniqueArray(shareable, { selector: ({ key }) => key }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(held, fc.array(fc.tuple(fc.bigInt(1n, 5n), changes), { maxLength: 8 }), (profiles, requests) => {
        const { slots, holdings } = holdingsOf(profiles);
        for (const [mpid, all] of requests) holdings.modify(request(mpid, ...all));
        const after = written(slots, holdings);
        const changed = new Map(holdings.changedProfiles().map(({ mpid, identities }) => [mpid, identities]));
        const lists = profiles.flatMap((before, index) =>
          (changed.get(BigInt(index + 1)) ?? before).map(({ type, value }) => `${type} ${value} ${index + 1}`),
        );
        expect(after.map(({ key, mpid }) => `${key} ${mpid}`).sort()).toEqual(lists.sort());
        for (const { key } of after) {
          const owners = after.filter((slot) => slot.key === key);
          expect(owners.some(({ slot }) => slot === 0)).toBe(true);
          if (key.startsWith('customer_id')) expect(owners).toHaveLength(1);
        }
      }),
    );
  });
});
