// Statements of a staged chunk: which staging tables it fills, and for how many profiles it reads their texts.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type Person, type ResolutionScope } from '../../../src/identity/index.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import { deliver, deliverWith, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const FULL = { ...SCOPE, mode: 'full' } as const;
const ANN = { customer_id: 'ann', email: 'ann@x' } as const;
const identities = testIdentities({ smallChunkPeople: 0 });
/** Column of the text of identities among those that a look-up of logins reads. */
const IDENTITIES = 5;

type OnCopyRow = Parameters<Transaction['copyOut']>[2];

interface Asked {
  /** Staging tables with their number of rows. */
  readonly staged: string[];
  /** Profiles whose identities were read. */
  texts: number;
}

/** Delivers people and returns the look-ups of the delivery. */
async function asked(store: Store, people: readonly Person[], scope: ResolutionScope = SCOPE): Promise<Asked> {
  const prepared = await identities.prepare(scope, people);
  const noted: Asked = { staged: [], texts: 0 };
  await store.transaction((tx) => {
    const copyIn: Transaction['copyIn'] = (target, count, row) => {
      const [, name] = /^people_(logins|keys|profiles)$/.exec(target.table) ?? [];
      if (name !== undefined) noted.staged.push(`${name} ${count}`);
      return tx.copyIn(target, count, row);
    };
    const copyOut: Transaction['copyOut'] = (text, types, onRow) => {
      const note: OnCopyRow = (values, bytes) => {
        if (typeof values[IDENTITIES] === 'string') noted.texts++;
        onRow(values, bytes);
      };
      return tx.copyOut(text, types, note);
    };
    return identities.deliver({ ...tx, copyIn, copyOut }, prepared, false);
  });
  return noted;
}

describe('people who come again', () => {
  it('are found by their logins alone where the profile lists all of their identities', async () => {
    await using store = await openTestStore();
    await deliver(store, [person(ANN), person({ customer_id: 'bob' })]);
    const again = [person(ANN), person({ customer_id: 'bob' }), person({ email: 'ann@x', customer_id: 'ann' })];
    expect(await asked(store, again)).toEqual({ staged: ['logins 2'], texts: 2 });
  });

  it('are found so whichever of their keys comes first', async () => {
    await using store = await openTestStore();
    const people = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => person({ customer_id: name, email: `${name}@x` }));
    await deliver(store, people);
    for (const one of people) expect(await asked(store, [one])).toEqual({ staged: ['logins 1'], texts: 1 });
  });

  it('are looked up by the identities that the profile does not list, or that no login decides', async () => {
    await using store = await openTestStore();
    const bob = person({ email: 'bob@x', customer_id: 'bob' });
    await deliver(store, [person(ANN), bob]);
    const more = [person({ ...ANN, other: 'o' }), bob];
    expect(await asked(store, more)).toEqual({ staged: ['logins 2', 'keys 2'], texts: 2 });
    // none of them is listed once more
    const [ann] = await store.query<{ identities: string }>(
      `SELECT identities FROM profiles WHERE identities LIKE '%ann@x%'`,
    );
    expect(JSON.parse(ann?.identities ?? '')).toHaveLength(3);
    expect(await asked(store, [person({ email: 'ann@x' })])).toMatchObject({ staged: ['keys 1', 'profiles 1'] });
    const strangers = [person({ customer_id: 'cid', google: 'g' })];
    expect(await asked(store, strangers)).toEqual({ staged: ['logins 1', 'keys 1'], texts: 0 });
  });

  it('are looked up by all identities where they name an MPID, or where the login does not decide', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person(ANN)]));
    expect(await asked(store, [{ ...person(ANN), mpid }])).toMatchObject({ staged: ['logins 1', 'keys 1'] });
    const policy = { ...DEFAULT_POLICY, strategy: 'best_match' } as const;
    expect(await asked(store, [person(ANN)], { ...SCOPE, policy })).toMatchObject({ staged: ['keys 2', 'profiles 1'] });
  });
});

describe('rows of a full sync', () => {
  const row = (plan: string, given: Partial<Record<'customer_id' | 'email', string>> = ANN) => person(given, { plan });

  it('are known by their hashes, without a text', async () => {
    await using store = await openTestStore();
    const rows = [row('"gold"'), row('"red"', { customer_id: 'bob' }), person({ google: 'g' })];
    await deliver(store, rows, FULL);
    expect(await asked(store, rows.slice(0, 2), FULL)).toEqual({ staged: ['logins 2'], texts: 0 });
    expect(await asked(store, [...rows, row('"gold"')], FULL)).toMatchObject({
      ...{ staged: ['logins 2', 'keys 1', 'profiles 1'] },
      texts: 0,
    });
    const changed = [row('"gold"'), row('"blue"', { customer_id: 'bob' })];
    expect(await asked(store, changed, FULL)).toEqual({ staged: ['logins 2'], texts: 1 });
    // a row of another source has no hash
    expect(await asked(store, [person({ customer_id: 'ann' })])).toEqual({ staged: ['logins 1'], texts: 1 });
  });

  it('are read with their texts where two rows of a person differ', async () => {
    await using store = await openTestStore();
    await deliver(store, [row('"gold"')], FULL);
    for (const plans of [
      ['"gold"', '"red"'],
      ['"gold"', '"red"', '"gold"'],
    ]) {
      await deliverWith(identities, store, { people: [row('"gold"', ANN)], scope: FULL });
      const rows = plans.map((plan) => row(plan));
      expect(await asked(store, rows, FULL)).toEqual({ staged: ['logins 1'], texts: 1 });
    }
  });
});

it('keys that come back in another order, or unasked, are a defect', async () => {
  await using store = await openTestStore();
  await deliver(store, [person({ email: 'a@x' }), person({ email: 'b@x' })]);
  const prepared = await identities.prepare(SCOPE, [person({ email: 'a@x' }), person({ email: 'b@x' })]);
  const delivery = store.transaction((tx) => {
    const copyOut: Transaction['copyOut'] = async (text, types, onRow) => {
      const rows: Parameters<OnCopyRow>[] = [];
      await tx.copyOut(text, types, (values, bytes) => rows.push([[...values], Buffer.from(bytes)]));
      for (const each of rows.reverse()) onRow(...each);
    };
    return identities.deliver({ ...tx, copyOut }, prepared, false);
  });
  await expect(delivery).rejects.toMatchObject({
    code: 'INTERNAL',
    message: 'The store gave keys that were not asked for, or unordered.',
  });
});
