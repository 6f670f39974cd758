import type { WorkspaceSettings } from '../../access/index.ts';
import { readBatches } from '../../events/index.ts';
import {
  createAgeOf,
  findHolders,
  type Holder,
  type Identity,
  type IdentityType,
  lastActivityMs,
  type ProfileId,
  policyOf,
  readProfile,
} from '../../identity/index.ts';
import { type Clock, itemAt, type Secret, workspaceId as workspaceOf } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Request, Subject } from '../request.ts';

export interface Resolution {
  readonly request: Pick<Request, 'workspaceId' | 'version'>;
  readonly subject: Subject;
  readonly identityKey: Secret;
  readonly settings: Pick<WorkspaceSettings, 'identity'>;
  readonly clock: Clock;
}

const ENVIRONMENTS = ['production', 'development'] as const;

/**
 * Returns the profiles that a request is about, in both environments (D-056). Protection by a login identity plays no part.
 * MPIDs name their profiles.
 *
 * Version 3 finds the one profile that holds most of the given identities. Ties are decided by the strongest identity in the
 * workspace's priority, then by the last activity. Versions 1 and 2 find one profile for each identity. The specification does
 * not say which one, where several profiles hold it; the rule of version 3 decides.
 */
export async function resolveSubject(sql: Sql, resolution: Resolution): Promise<readonly ProfileId[]> {
  const found = new Map<string, ProfileId>();
  for (const environment of ENVIRONMENTS) {
    const place = { ...resolution, environment };
    for (const mpid of [...(await namedProfiles(sql, place)), ...(await heldProfiles(sql, place))]) {
      found.set(`${environment} ${mpid}`, { environment, mpid });
    }
  }
  return [...found.values()];
}

interface Place extends Resolution {
  readonly environment: (typeof ENVIRONMENTS)[number];
}

const scopeOf = ({ request, environment }: Place) => ({ workspaceId: workspaceOf(request.workspaceId), environment });

async function namedProfiles(sql: Sql, place: Place): Promise<readonly bigint[]> {
  const there: bigint[] = [];
  for (const mpid of place.subject.mpids) {
    if ((await readProfile(sql, scopeOf(place), mpid)) !== undefined) there.push(mpid);
  }
  return there;
}

async function heldProfiles(sql: Sql, place: Place): Promise<readonly bigint[]> {
  const identities: readonly Identity[] = place.subject.identities;
  if (identities.length === 0) return [];
  const holders = await findHolders(sql, place.identityKey, { ...scopeOf(place), identities });
  const groups = place.request.version === 3 ? [holders] : identities.map((_, index) => holders.filter(holding(index)));
  const best: bigint[] = [];
  for (const group of groups) {
    const mpid = await bestOf(sql, place, group);
    if (mpid !== undefined) best.push(mpid);
  }
  return best;
}

const holding =
  (index: number) =>
  ({ holds }: Holder): boolean =>
    holds.includes(index);

async function bestOf(sql: Sql, place: Place, holders: readonly Holder[]): Promise<bigint | undefined> {
  const ranked = rankHolders(holders, place);
  const equals = ranked.filter((holder) => compareRanks(holder.ranks, ranked[0]?.ranks ?? []) === 0);
  if (equals.length <= 1) return equals[0]?.mpid;
  let best: { readonly mpid: bigint; readonly activeMs: number } | undefined;
  for (const { mpid } of equals) {
    const activeMs = await lastActive(sql, place, mpid);
    if (best === undefined || activeMs > best.activeMs) best = { mpid, activeMs };
  }
  return best?.mpid;
}

/** Ranks profiles by the number of identities they hold, then by the strongest of them, then by age. */
function rankHolders(holders: readonly Holder[], { subject, settings, identityKey }: Place) {
  const { priority } = policyOf(settings);
  const ageOf = createAgeOf(identityKey);
  const rankOf = (index: number) => rankIn(priority, subject.identities[index]?.type);
  return holders
    .map(({ mpid, holds }) => ({ mpid, ranks: holds.map(rankOf).toSorted((left, right) => left - right) }))
    .toSorted((one, other) => compareRanks(one.ranks, other.ranks) || (ageOf(one.mpid) < ageOf(other.mpid) ? -1 : 1));
}

/** Returns the rank of a type; types that the workspace does not list rank last. */
function rankIn(priority: readonly IdentityType[], type: IdentityType | undefined): number {
  const rank = type === undefined ? -1 : priority.indexOf(type);
  return rank < 0 ? priority.length : rank;
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return other.length - one.length;
  const differing = one.findIndex((rank, index) => rank !== other[index]);
  return differing < 0 ? 0 : itemAt(one, differing) - itemAt(other, differing);
}

/** Returns the time of the last batch, attribute or profile change. Times after now are ignored. */
async function lastActive(sql: Sql, place: Place, mpid: bigint): Promise<number> {
  const scope = scopeOf(place);
  const nowMs = place.clock.nowMs();
  const writtenMs = await lastActivityMs(sql, { ...scope, mpid, nowMs });
  const before = { receivedOn: new Date(nowMs + 1), id: 0n };
  const [batch] = await readBatches(sql, { ...scope, mpid }, { limit: 1, before });
  return Math.max(writtenMs ?? 0, batch?.receivedOn.getTime() ?? 0);
}
