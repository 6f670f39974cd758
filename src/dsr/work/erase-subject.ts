import { forgetMembers } from '../../groups/index.ts';
import { type Identity, type ProfileId, runExclusively } from '../../identity/index.ts';
import { AppError, workspaceId as workspaceOf } from '../../kernel/index.ts';
import { queueErasedMpids } from '../../runs/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type ErasedSubject, openSubject, type Request, type Subject, sealSubject } from '../request.ts';
import { eraseBatchesOf, eraseTraces, type RecordErasure } from './erase-records.ts';
import { addEvidence, type Counts } from './evidence.ts';
import { identitiesToSearch, readHeldIdentities } from './identities-to-search.ts';
import { type JudgeSettings, judgeIdentities } from './judge-identities.ts';
import { type Resolution, resolveSubject } from './resolve-subject.ts';
import type { Attempt, WorkDeps } from './work-deps.ts';

/**
 * Erases the people whom a request names. One short transaction removes their profiles; from its commit on nothing about them
 * is delivered. The erased people stay on the request, encrypted, until all rooms are done. So a later attempt resumes there
 * and does not resolve the subject again.
 */
export async function eraseSubject(deps: WorkDeps, attempt: Attempt): Promise<void> {
  const { request, signal, step } = attempt;
  const subject = openSubject(deps.keyRing, request);
  if (subject === undefined) throw new AppError('INTERNAL', `The request ${request.id} has no stored subject.`);
  const erasure = await deps.takeTurn(async () => {
    signal.throwIfAborted();
    step('erasing profiles');
    const erased = subject.erased ?? (await eraseProfiles(deps, attempt, subject));
    const rooms: RecordErasure = {
      ...erased,
      signal,
      step,
      store: deps.store,
      workspaceId: workspaceOf(request.workspaceId),
      ledgerKey: deps.identityKey,
      count: (tx, counts) => addEvidence(tx, request, counts),
    };
    await eraseBatchesOf(rooms);
    return rooms;
  });
  step('waiting for the next scan of records without a profile');
  await deps.joinScan(erasure);
  await eraseTraces(erasure);
}

async function eraseProfiles(deps: WorkDeps, { request, signal }: Attempt, subject: Subject): Promise<ErasedSubject> {
  const workspaceId = workspaceOf(request.workspaceId);
  const settings = await deps.settingsOf(workspaceId);
  const resolution = { ...deps, request, subject, settings };
  const { fillers, notes } = await judge(deps, resolution, signal);
  return await runExclusively(deps.store, workspaceId, async (tx) => {
    const people = await resolveSubject(tx, resolution);
    const nowMs = deps.clock.nowMs();
    const named = identitiesOf(subject);
    const gone = await deps.tombstones.erasePeople(tx, { workspaceId, people, identities: named, fillers, nowMs });
    const memberships = await detachMpids(tx, { workspaceId, people, nowMs });
    const held = gone.people.flatMap((person) => [...person.identities, ...person.former]);
    const known = { workspaceId, people, named, held, withheld: fillers };
    const erased = { people, identities: await identitiesToSearch(tx, deps.identityKey, known) };
    await storeErased(deps, tx, { request, subject: { ...subject, erased }, keys: gone.keys });
    await addEvidence(tx, request, {
      identity: { profiles: gone.profiles, identities: gone.identities, tombstones: gone.tombstones, ...notes },
      groups: { memberships },
    });
    return erased;
  });
}

const identitiesOf = ({ identities }: Subject): readonly Identity[] =>
  identities.map(({ type, value }) => ({ type, value }));

/** Judges the identities, before the transaction because it reads batches. The notes for the evidence name nobody. */
async function judge(deps: WorkDeps, resolution: Resolution & JudgeSettings, signal: AbortSignal) {
  const { store } = deps;
  const workspaceId = workspaceOf(resolution.request.workspaceId);
  const people = await resolveSubject(store, resolution);
  const held = await readHeldIdentities(store, workspaceId, people);
  const named = identitiesOf(resolution.subject);
  const judged = await judgeIdentities(store, resolution, { workspaceId, people, named, held, signal });
  const fillers = judged.ordinary.filter(({ isFiller }) => isFiller);
  const usual = judged.ordinary.filter(({ isFiller, isUsual }) => isUsual && !isFiller);
  const notes: Counts[string] = {
    ...countTypes('withheld', fillers),
    ...countTypes('usual', usual),
    ...(judged.sharing.length > 0 && { sharing_profiles: judged.sharing.length }),
  };
  return { fillers, notes };
}

function countTypes(what: string, values: readonly Identity[]): Counts[string] {
  const byType = Map.groupBy(values, ({ type }) => `${what}_${type}`);
  return Object.fromEntries(Array.from(byType, ([kind, ofIt]) => [kind, ofIt.length]));
}

interface Detaching {
  readonly workspaceId: ReturnType<typeof workspaceOf>;
  readonly people: readonly ProfileId[];
  readonly nowMs: number;
}

/**
 * Queues the erased MPIDs and removes group memberships, in the transaction that erases the profiles. So no group is computed
 * and no MPID written back in between. Returns the memberships removed.
 */
export async function detachMpids(tx: Transaction, { workspaceId, people, nowMs }: Detaching): Promise<number> {
  await queueErasedMpids(tx, { workspaceId, mpids: people.map(({ mpid }) => mpid), nowMs });
  let memberships = 0;
  for (const [environment, ofIt] of Map.groupBy(people, (person) => person.environment)) {
    const mpids = ofIt.map(({ mpid }) => mpid);
    memberships += await forgetMembers(tx, { workspaceId, environment, mpids, nowMs });
  }
  return memberships;
}

interface StoredErasure {
  readonly request: Request;
  readonly subject: Subject;
  readonly keys: readonly string[];
}

async function storeErased(
  { keyRing }: WorkDeps,
  tx: Transaction,
  { request, subject, keys }: StoredErasure,
): Promise<void> {
  await tx.execute(
    'UPDATE dsr_requests SET subject = $3, erased_keys = $4::uuid[] WHERE workspace_id = $1 AND id = $2',
    [request.workspaceId, request.id, sealSubject(keyRing, request, subject), keys],
  );
}
