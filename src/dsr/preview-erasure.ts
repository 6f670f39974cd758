import { eraseFromChanges } from '../access/index.ts';
import { findConflicts, findFailedRecords, type RecordPosition } from '../engine/index.ts';
import { countBatches, eraseOfNobody, eraseRejected } from '../events/index.ts';
import { createNamesPerson, type Identity, type ProfileId, readProfile } from '../identity/index.ts';
import { type WorkspaceId, workspaceId as workspaceOf } from '../kernel/index.ts';
import { inIndexOrder, type Store, type Transaction } from '../store/index.ts';
import { eraseMessages } from '../sync/index.ts';
import { addCounts, type Counts } from './work/evidence.ts';
import { type Judged, type Judging, judgeIdentities } from './work/judge-identities.ts';
import { heldIdentities, personToSearch } from './work/person-to-search.ts';
import { type Resolution, resolveSubject } from './work/resolve-subject.ts';

export interface ErasurePreview {
  readonly people: readonly ProfileId[];
  /** What would go, by room and kind; what a run or a group delivers until then comes on top. */
  readonly counts: Counts;
  /** Values that may stand for nobody, as `unknown`: each would get a tombstone, unless it is a filler. */
  readonly ordinary: Judged['ordinary'];
  /** Profiles that live on with one of the identities: the same person, or somebody else. */
  readonly sharing: Judged['sharing'];
}

/** What an erasure would remove if it began now. It changes nothing, and reads as much as the erasure does. */
export async function previewErasure(
  store: Store,
  resolution: Resolution & Judging,
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
  const held = await heldIdentities(store, workspaceId, people);
  const known = { workspaceId, people, named: resolution.subject.identities, held };
  const judged = await judgeIdentities(store, resolution, known);
  const withheld = judged.ordinary.filter(({ isFiller }) => isFiller);
  const search = {
    ...{ store, workspaceId, signal, mpids: people.map(({ mpid }) => mpid) },
    identities: await personToSearch(store, resolution.identityKey, { ...known, withheld }),
  };
  return { people, counts: addCounts(counts, await countInRooms(search)), ...judged };
}

interface Search {
  readonly store: Store;
  readonly workspaceId: WorkspaceId;
  readonly mpids: readonly bigint[];
  readonly identities: readonly Identity[];
  readonly signal: AbortSignal;
}

async function countInRooms(search: Search): Promise<Counts> {
  const { workspaceId, mpids } = search;
  const namesPerson = createNamesPerson(search);
  const place = { workspaceId, namesPerson, isPreview: true } as const;
  const records = (find: typeof findFailedRecords) =>
    total<RecordPosition>(search, async (tx, after) => {
      const { found, next } = await find(tx, { ...place, after });
      return { erased: found.length, next };
    });
  return {
    events: {
      batches_of_nobody: await total<Parameters<typeof eraseOfNobody>[1]['after']>(search, (tx, after) =>
        eraseOfNobody(tx, { ...place, after }),
      ),
      rejected_batches: await total<bigint>(search, (tx, after) => eraseRejected(tx, { ...place, after })),
    },
    engine: {
      failed_records: await records(findFailedRecords),
      write_back_conflicts: await records(findConflicts),
    },
    sync: { messages: await total<bigint>(search, (tx, after) => eraseMessages(tx, { ...place, after })) },
    access: {
      audit_entries: await total<bigint>(search, (tx, after) => eraseFromChanges(tx, { ...place, mpids, after })),
    },
  };
}

interface Part<Position> {
  readonly erased: number;
  readonly next?: Position | undefined;
}

async function total<Position>(
  { store, signal }: Search,
  countPart: (tx: Transaction, after: Position | undefined) => Promise<Part<Position>>,
): Promise<number> {
  let count = 0;
  let after: Position | undefined;
  do {
    signal.throwIfAborted();
    const part = await inIndexOrder(store, (tx) => countPart(tx, after));
    count += part.erased;
    after = part.next;
  } while (after !== undefined);
  return count;
}
