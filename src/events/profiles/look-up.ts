// The audit log records each lookup before the answer is sent. It does not record the value of a search: the log outlives
// an erasure, and the MPIDs that were found say as much.
import type { Static } from 'typebox';
import { recordChanges } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import {
  type Environment,
  type Identities,
  type Identity,
  type Profile,
  type ProfilePage,
  readProfile,
} from '../../identity/index.ts';
import { AppError, type Clock, parseJson } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { readBatches } from '../log/read-log.ts';
import { namesOf, type PipelineIds } from '../source-names.ts';
import type { ProfileWithBatches } from './contract.ts';
import { profileAnswer } from './profile-answer.ts';

export interface LookUpDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly identities: Identities;
  readonly pipelineIds: PipelineIds;
}

export interface LookUp {
  readonly mpid: bigint;
  /** Environment of the profile; undefined: either. */
  readonly environment: Environment | undefined;
  /** Number of newest batches to return. */
  readonly batches: number;
}

/** Returns a profile with its newest batches. Throws NOT_FOUND; the audit log records that lookup, too. */
export async function lookUpProfile(
  deps: LookUpDeps,
  caller: Caller,
  { mpid, environment, batches }: LookUp,
): Promise<Static<typeof ProfileWithBatches>> {
  const profile = await findProfile(deps.store, caller, { mpid, environment });
  await record(deps, caller, [{ mpid, detail: profile === undefined ? { found: false } : scopeOf(profile) }]);
  if (profile === undefined) {
    const where = environment === undefined ? '' : ` in ${environment}`;
    throw new AppError('NOT_FOUND', `There is no profile ${mpid}${where} in this workspace.`);
  }
  return { ...profileAnswer(profile), batches: await newestBatches(deps, profile, batches) };
}

async function findProfile(
  store: Store,
  { workspaceId }: Caller,
  { mpid, environment }: Pick<LookUp, 'mpid' | 'environment'>,
): Promise<Profile | undefined> {
  const environments = environment === undefined ? (['production', 'development'] as const) : [environment];
  for (const one of environments) {
    const profile = await readProfile(store, { workspaceId, environment: one }, mpid);
    if (profile !== undefined) return profile;
  }
  return undefined;
}

async function newestBatches({ store, pipelineIds }: LookUpDeps, profile: Profile, limit: number) {
  if (limit === 0) return [];
  const [batches, ids] = await Promise.all([readBatches(store, profile, { limit }), pipelineIds(profile.workspaceId)]);
  return batches.map(({ receivedOn, source, text }) => ({
    received_on: receivedOn.toISOString(),
    ...namesOf(source, ids),
    batch: parseJson(text),
  }));
}

export interface Search extends ProfilePage {
  readonly environment: Environment;
  readonly identity: Identity;
}

/** Returns the profiles that hold an identity, its owner first. */
export async function searchProfiles(
  deps: LookUpDeps,
  caller: Caller,
  { environment, identity, limit, offset }: Search,
): Promise<readonly Profile[]> {
  const scope = { workspaceId: caller.workspaceId, environment, limit, offset };
  const profiles = await deps.identities.findProfiles(deps.store, scope, identity);
  const by = { environment, identity_type: identity.type };
  const looks = profiles.map(({ mpid }) => ({ mpid, detail: by }));
  await record(deps, caller, looks.length > 0 ? looks : [{ mpid: undefined, detail: { ...by, found: false } }]);
  return profiles;
}

const scopeOf = ({ environment }: Profile) => ({ environment });

interface Look {
  /** MPID that was found; undefined: none. */
  readonly mpid: bigint | undefined;
  readonly detail: Readonly<Record<string, unknown>>;
}

async function record({ store, clock }: LookUpDeps, { workspaceId, actor }: Caller, looks: readonly Look[]) {
  const common = { workspaceId, actor, occurredOn: new Date(clock.nowMs()), action: 'profile.read' };
  const changes = looks.map(({ mpid, detail }) => {
    return { ...common, resource: mpid === undefined ? 'profiles' : `profile/${mpid}`, detail };
  });
  await store.transaction((tx) => recordChanges(tx, changes));
}
