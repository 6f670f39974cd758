import { eraseLooks } from '../access/index.ts';
import { countBatches } from '../events/index.ts';
import { type PersonIdentifiers, type ProfileId, readProfile } from '../identity/index.ts';
import { type WorkspaceId, workspaceId as workspaceOf } from '../kernel/index.ts';
import { inIndexOrder, type Store } from '../store/index.ts';
import { createMentionSearch } from './work/erase-records.ts';
import { addCounts, type Counts } from './work/evidence.ts';
import { findMentions } from './work/find-mentions.ts';
import { identitiesToSearch, readHeldIdentities } from './work/identities-to-search.ts';
import { type JudgedIdentities, type JudgeSettings, judgeIdentities } from './work/judge-identities.ts';
import { type Resolution, resolveSubject } from './work/resolve-subject.ts';
import { countEntries, forEachRoom, type ScannedRoom } from './work/scanned-rooms.ts';

export interface ErasurePreview {
  readonly people: readonly ProfileId[];
  /** Records that the erasure would remove, by room and kind. Records that a run or a group delivers until then come on top. */
  readonly counts: Counts;
  /** Values that may stand for nobody, such as `unknown`. Each would get a tombstone, unless it is a filler. */
  readonly ordinary: JudgedIdentities['ordinary'];
  /** Profiles that remain with one of the identities: the same person, or another. */
  readonly sharing: JudgedIdentities['sharing'];
}

/** Counts what an erasure would remove if it began now. Changes nothing, and reads as much as an erasure does. */
export async function previewErasure(
  store: Store,
  resolution: Resolution & JudgeSettings,
  signal: AbortSignal,
): Promise<ErasurePreview> {
  const workspaceId = workspaceOf(resolution.request.workspaceId);
  const people = await resolveSubject(store, resolution);
  let counts: Counts = { identity: { profiles: people.length, identities: 0 }, events: { batches: 0 } };
  for (const person of people) {
    const scope = { workspaceId, environment: person.environment };
    const profile = await readProfile(store, scope, person.mpid);
    const batches = await countBatches(store, { workspaceId, ...person });
    counts = addCounts(counts, {
      identity: { identities: profile?.identities.length ?? 0 },
      events: { batches },
    });
  }
  const held = await readHeldIdentities(store, workspaceId, people);
  const known = { workspaceId, people, named: resolution.subject.identities, held };
  const judged = await judgeIdentities(store, resolution, { ...known, signal });
  const withheld = judged.ordinary.filter(({ isFiller }) => isFiller);
  const search = {
    store,
    workspaceId,
    signal,
    mpids: people.map(({ mpid }) => mpid),
    identities: await identitiesToSearch(store, resolution.identityKey, { ...known, withheld }),
  };
  return { people, counts: addCounts(counts, await countInRooms(search)), ...judged };
}

interface Search extends PersonIdentifiers {
  readonly store: Store;
  readonly workspaceId: WorkspaceId;
  readonly signal: AbortSignal;
}

async function countInRooms({ store, workspaceId, signal, ...identifiers }: Search): Promise<Counts> {
  const mentionSearch = createMentionSearch(identifiers);
  let counts = countEntries(await eraseLooks(store, { workspaceId, mpids: identifiers.mpids, isPreview: true }));
  await forEachRoom(async <Ref, Position>(room: ScannedRoom<Ref, Position>) => {
    let after: Position | undefined;
    do {
      signal.throwIfAborted();
      const behind = after;
      const { records, next } = await inIndexOrder(store, (tx) => room.read(tx, workspaceId, behind));
      const { found } = await findMentions(records, mentionSearch);
      counts = addCounts(counts, room.countsOf(found.length));
      after = next;
    } while (after !== undefined);
  });
  return counts;
}
