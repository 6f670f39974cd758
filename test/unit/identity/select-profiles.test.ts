import { describe, expect, it } from 'vitest';
import type { Identity, Person } from '../../../src/identity/contract.ts';
import type { ChunkMemory } from '../../../src/identity/resolve/chunk-memory.ts';
import { selectProfilesToRead } from '../../../src/identity/resolve/select-profiles.ts';
import { chunkOf, identity, named, person, type Setting } from '../../support/people/resolve-in-memory.ts';

type Owners = readonly (readonly [Identity, ...bigint[]])[];

/** Which profiles are to be read, and how much of them. */
async function consider(people: readonly Person[], owners: Owners, setting: Setting = {}) {
  const { memory, prepared } = await chunkOf(people, {
    ...setting,
    before: (known, ordinalOf) => {
      for (const [each, ...mpids] of owners) {
        for (const [slot, mpid] of mpids.entries()) {
          if (mpid > 0n) known.own({ ordinal: ordinalOf(each), slot }, known.meet(mpid));
        }
      }
      setting.before?.(known, ordinalOf);
    },
  });
  const found = selectProfilesToRead(memory, prepared);
  return { memory, found, wanted: Object.fromEntries(found.map(({ mpid, wanted }) => [String(mpid), wanted])) };
}

const [LOGIN, EMAIL, OTHER] = [identity('customer_id', 'c'), identity('email', 'e'), identity('other', 'o')];
const ALL = person({ other: 'o', email: 'e', customer_id: 'c' });

describe('what is read before people are resolved', () => {
  it('is the owner of a login identity, and nothing that is weaker', async () => {
    const owners: Owners = [
      [LOGIN, 1n],
      [EMAIL, 2n, 3n],
      [OTHER, 4n],
    ];
    expect((await consider([ALL], owners)).wanted).toEqual({ 1: 'texts' });
    expect((await consider([ALL], owners, { strategy: 'best_match' })).wanted).toEqual({
      ...{ 1: 'texts', 2: 'texts', 3: 'header', 4: 'texts' },
    });
    const priority = ['email', 'customer_id', 'other'] as const;
    expect((await consider([ALL], owners, { priority })).wanted).toEqual({ 1: 'texts', 2: 'texts', 3: 'header' });
  });

  it('is every holder of the others, where nobody has the login identity', async () => {
    const owners: Owners = [
      [EMAIL, 2n, 0n, 3n],
      [OTHER, 0n, 4n, 2n],
    ];
    expect((await consider([ALL], owners)).wanted).toEqual({ 2: 'texts', 3: 'header', 4: 'header' });
    expect((await consider([person({ other: 'o' }), person({ email: 'e' })], owners)).wanted).toEqual({
      ...{ 2: 'texts', 3: 'header', 4: 'header' },
    });
    expect((await consider([person({ email: 'e' }), person({ yahoo: 'y' })], [[EMAIL, 2n]])).wanted).toEqual({
      2: 'texts',
    });
    expect((await consider([person({ yahoo: 'y' }), person({ email: 'e' })], [[EMAIL, 2n]])).wanted).toEqual({
      2: 'texts',
    });
  });

  it('is whoever an MPID names, unless that is known already', async () => {
    const { found, memory, wanted } = await consider([named(7n, {}), named(101n, {}), person({})], []);
    expect([found.length, wanted]).toEqual([1, { 7: 'texts' }]);
    expect(memory.meet(101n).wanted).toBe('texts');
  });

  it('is nothing more of who belongs to an owner that holds all', async () => {
    const before = (known: ChunkMemory) => {
      known.settled[0] = known.meet(1n);
    };
    const owners: Owners = [[EMAIL, 2n]];
    expect((await consider([ALL], owners, { before })).wanted).toEqual({});
    expect((await consider([ALL, ALL], owners, { before })).wanted).toEqual({ 2: 'texts' });
  });
});

describe('texts of a profile', () => {
  const row = (plan: string): Person => ({ ...ALL, attributes: { names: ['plan'], texts: [plan] } });
  const unless = async (people: readonly Person[], mode: 'full' | 'incremental') =>
    (await consider(people, [[EMAIL, 2n]], { mode })).found.map(({ wantedUnless }) => wantedUnless);

  it('are left out where the only row about it is the stored one', async () => {
    const [hash] = await unless([row('"gold"')], 'full');
    expect(hash).toEqual(expect.any(String));
    expect(await unless([row('"gold"'), row('"gold"')], 'full')).toEqual([hash]);
    expect(await unless([row('"red"')], 'full')).not.toEqual([hash]);
  });

  it('are read for two rows that differ, and for what has no hash', async () => {
    expect(await unless([row('"gold"'), row('"red"')], 'full')).toEqual([null]);
    expect(await unless([row('"gold"'), row('"red"'), row('"red"')], 'full')).toEqual([null]);
    expect(await unless([row('"gold"')], 'incremental')).toEqual([null]);
  });
});
