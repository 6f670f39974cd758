import { describe, expect, it } from 'vitest';
import { type Person, readProfile } from '../../../src/identity/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const FULL = { ...SCOPE, mode: 'full' } as const;
const ads = (consented: boolean, at: number) =>
  `{"gdpr":{"ads":{"consented":${consented},"timestamp_unixtime_ms":${at}}}}`;
const ann = (consent?: string, plan = '"gold"'): Person => ({
  ...person({ customer_id: 'ann' }, { plan }, 1n),
  ...(consent !== undefined && { consent }),
});
const consentOf = async (store: Store, mpid: bigint) => (await readProfile(store, SCOPE, mpid))?.consent;
const versionOf = async (store: Store, mpid: bigint) =>
  (await store.query<{ version: number }>('SELECT version FROM profiles WHERE mpid = $1', [mpid]))[0]?.version;

describe('consent', () => {
  it('is kept on new and on known profiles, the newest of each purpose, whichever arrives first', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [ann(ads(true, 20))]));
    expect(await consentOf(store, mpid)).toBe(ads(true, 20));
    await deliver(store, [ann(ads(false, 10))]);
    expect(await consentOf(store, mpid)).toBe(ads(true, 20));
    await deliver(store, [ann(ads(false, 30)), ann(ads(true, 25)), ann()]);
    expect(await consentOf(store, mpid)).toBe(ads(false, 30));
  });

  it('counts as a change of the profile, once, and only where it changes', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [ann()]));
    expect(await consentOf(store, mpid)).toBeNull();
    expect(await deliver(store, [ann(ads(true, 10)), ann(ads(false, 20))])).toMatchObject({ changedProfiles: 1 });
    expect(await deliver(store, [ann(ads(true, 15))])).toMatchObject({ changedProfiles: 0 });
    expect(await versionOf(store, mpid)).toBe(2);
  });

  it('makes a full sync write again when it changes, and only then', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [ann(ads(true, 10))], FULL));
    expect(await deliver(store, [ann(ads(true, 10))], FULL)).toMatchObject({ changedProfiles: 0 });
    expect(await deliver(store, [ann(ads(false, 20))], FULL)).toMatchObject({ changedProfiles: 1 });
    expect(await consentOf(store, mpid)).toBe(ads(false, 20));
    expect(await deliver(store, [ann(ads(false, 20))], FULL)).toMatchObject({ changedProfiles: 0 });
  });

  it('stays with its person: neighbours, environments and workspaces have none of it', async () => {
    await using store = await openTestStore();
    const development = { ...SCOPE, environment: 'development' } as const;
    const [mpid = 0n, other = 0n] = mpidsOf(
      await deliver(store, [ann(ads(true, 10)), { ...person({ customer_id: 'ben' }) }]),
    );
    const [there = 0n] = mpidsOf(await deliver(store, [ann(ads(false, 20))], development));
    expect(await consentOf(store, mpid)).toBe(ads(true, 10));
    expect(await consentOf(store, other)).toBeNull();
    expect((await readProfile(store, development, there))?.consent).toBe(ads(false, 20));
  });

  it('loses nothing when deliveries meet', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [ann()]));
    const purposes = Array.from({ length: 8 }, (_, i) => `p${i}`);
    const one = (name: string) => ads(true, 5).replace('"ads"', `"${name}"`);
    await Promise.all(purposes.map((name) => deliver(store, [ann(one(name))])));
    const kept = JSON.parse((await consentOf(store, mpid)) ?? '{}');
    expect(Object.keys(kept.gdpr).sort()).toEqual(purposes);
  });
});
