import {
  createIdentityRequests,
  type Identity,
  type ResolveAnswer,
  type ResolveRequest,
  type ResolveVerb,
} from '../../../src/identity/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { type Given, SCOPE, testIdentities } from './deliver-people.ts';

export function identitiesOf(given: Given): Identity[] {
  return Object.entries(given).map(([type, value]) => ({ type: type as Identity['type'], value }));
}

/** `[type, from, to]`: null where there is none. */
export type Change = readonly [Identity['type'], string | null, string | null];

const { workspaceId, environment } = SCOPE;

/** The identity requests of one daemon. */
export function requestsOf(store: Store) {
  const requests = createIdentityRequests({ store, identities: testIdentities() });
  return {
    drain: () => requests.drain(),
    ask: (verb: ResolveVerb, given: Given, rest: Partial<ResolveRequest> = {}): Promise<ResolveAnswer> =>
      requests.resolve({ workspaceId, environment, verb, identities: identitiesOf(given), ...rest }),
    modify: (mpid: bigint, changes: readonly Change[], isPublic = false): Promise<bigint> =>
      requests.modify({
        ...{ workspaceId, environment, mpid, isPublic },
        changes: changes.map(([type, from, to]) => ({ from: identityOf(type, from), to: identityOf(type, to) })),
      }),
  };
}

function identityOf(type: Identity['type'], value: string | null): Identity | undefined {
  return value === null ? undefined : { type, value };
}

interface ProfileRow {
  readonly mpid: bigint;
  readonly environment: number;
  readonly identities: string;
  readonly holds_login: boolean;
}

/** What is wrong with the store: rows of identities and texts of profiles that differ, and keys whose owner's slot is free. */
export async function identityFaults(store: Store): Promise<readonly string[]> {
  const profiles = await store.query<ProfileRow>(
    'SELECT mpid, environment, identities, holds_login FROM profiles WHERE workspace_id = $1',
    [workspaceId],
  );
  const rows = await store.query<{ mpid: bigint; key: string; slot: number }>(
    'SELECT mpid, key::text AS key, slot FROM profile_identities WHERE workspace_id = $1 ORDER BY key, slot',
    [workspaceId],
  );
  const listed = new Set((await Promise.all(profiles.map(listedKeys))).flat());
  const held = new Set(rows.map(({ key, mpid }) => `${key.replaceAll('-', '')} ${mpid}`));
  const owned = new Set(rows.filter(({ slot }) => slot === 0).map(({ key }) => key));
  return [
    ...profiles
      .filter((profile) => profile.holds_login !== listsLogin(profile))
      .map(({ mpid }) => `protection of ${mpid}`),
    ...[...listed.difference(held)].map((one) => `listed, not held: ${one}`),
    ...[...held.difference(listed)].map((one) => `held, not listed: ${one}`),
    ...rows.filter(({ key }) => !owned.has(key)).map(({ key }) => `without an owner: ${key}`),
  ];
}

function listed({ identities }: ProfileRow): Identity[] {
  return (JSON.parse(identities) as [Identity['type'], string][]).map(([type, value]) => ({ type, value }));
}

const listsLogin = (profile: ProfileRow): boolean => listed(profile).some(({ type }) => type === 'customer_id');

async function listedKeys(profile: ProfileRow): Promise<string[]> {
  const scope = { workspaceId, environment: profile.environment === 0 ? 'production' : 'development' } as const;
  const people = [{ identities: listed(profile), attributes: { names: [], texts: [] }, setAt: 0n }];
  const { keys } = await testIdentities().prepare({ ...scope, mode: 'incremental' }, people);
  return Array.from({ length: keys.sorted.length / 16 }, (_, at) => {
    return `${keys.sorted.toString('hex', 16 * at, 16 * at + 16)} ${profile.mpid}`;
  });
}
