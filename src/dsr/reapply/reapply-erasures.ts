import { recordChange } from '../../access/index.ts';
import {
  aloneInTransaction,
  createNamesErased,
  createTombstoneKeys,
  type ProfileId,
  type Tombstone,
  type Tombstones,
} from '../../identity/index.ts';
import { AppError, type Clock, type Log, parseJson, type Secret, type WorkspaceId } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { vacuumAgain } from '../vacuum/vacuum-erased.ts';
import { eraseRooms, type RoomErasure } from '../work/erase-rooms.ts';
import { leaveOtherRooms } from '../work/erase-subject.ts';
import { addCounts, type Counts } from '../work/evidence.ts';
import { heldIdentities, personToSearch } from '../work/person-to-search.ts';
import { endStored } from './end-stored.ts';
import { EXPORT_FORMAT, keyMark } from './export-erasures.ts';
import { isOver, type RequestLine, readRequestLine, restoreRequest } from './request-line.ts';

export interface ReapplyDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly identityKey: Secret;
  readonly tombstones: Tombstones;
}

export interface Reapplying {
  readonly workspaceId: WorkspaceId;
  /** Of an export of this workspace. */
  readonly lines: AsyncIterable<string> | Iterable<string>;
  readonly actor: string;
  readonly signal: AbortSignal;
}

export interface Reapplied {
  /** Requests that the store did not have. */
  readonly restored: number;
  /** Requests that the store had open, and that were over. */
  readonly ended: number;
  /** Requests that were open and that the store does not have: nobody knows their subject any more. */
  readonly lost: readonly string[];
  readonly people: number;
  readonly tombstones: number;
  /** Keys that a living profile holds, so that no tombstone was made of them. */
  readonly held: number;
  readonly counts: Counts;
}

/**
 * Applies the erasures of an export to a store that was put back to an older state: profiles that were erased since are found
 * by their keyed MPIDs and erased again from all rooms, then the tombstones are written. Meant for a store that nobody
 * delivers to meanwhile. May be done again, also after a crash: a profile goes after what the other rooms hold of it. A record
 * that is older than the profile came back without it, and is found by the tombstones.
 */
export async function reapplyErasures(deps: ReapplyDeps, reapplying: Reapplying): Promise<Reapplied> {
  const { workspaceId, signal } = reapplying;
  const { requests, tombstones } = await readExport(deps, reapplying);
  const restored = await restoreRequests(deps, workspaceId, requests);
  const keys = [...requests.flatMap(({ erasedKeys }) => erasedKeys), ...tombstones.map(({ key }) => key)];
  const people = await deps.tombstones.findErased(deps.store, workspaceId, keys);
  let counts: Counts = {};
  for (const person of people) counts = addCounts(counts, await eraseAgain(deps, { workspaceId, person, signal }));
  const buried = await bury(deps, workspaceId, tombstones);
  counts = addCounts(counts, await sweep(deps, { workspaceId, signal }));
  if (Object.keys(counts).length > 0) await vacuumAgain(deps.store, workspaceId, requests);
  const reapplied = { ...restored, people: people.length, ...buried, counts };
  await record(deps, reapplying, reapplied);
  return reapplied;
}

interface ReadExport {
  readonly requests: readonly RequestLine[];
  readonly tombstones: readonly Tombstone[];
}

async function readExport(deps: ReapplyDeps, { workspaceId, lines }: Reapplying): Promise<ReadExport> {
  const requests: RequestLine[] = [];
  const tombstones: Tombstone[] = [];
  let isFirst = true;
  for await (const text of lines) {
    if (text.trim() === '') continue;
    const line = lineOf(text);
    if (isFirst) await requireOurs(deps, workspaceId, line);
    else if (line.kind === 'request') requests.push(readRequestLine(line, text));
    else tombstones.push({ key: String(line.key), erasedOn: new Date(String(line.erased_on)) });
    isFirst = false;
  }
  if (isFirst) throw new AppError('VALIDATION_FAILED', 'The export is empty: it has not even its first line.');
  return { requests, tombstones };
}

type Line = Readonly<Record<string, unknown>>;

function lineOf(text: string): Line {
  try {
    return parseJson(text) as Line;
  } catch {
    throw new AppError('VALIDATION_FAILED', 'The export has a line that is not JSON: it may have been cut off.');
  }
}

async function requireOurs({ store }: ReapplyDeps, workspaceId: WorkspaceId, line: Line): Promise<void> {
  if (line.kind !== 'erasures' || line.format !== EXPORT_FORMAT) {
    throw new AppError('VALIDATION_FAILED', `This is no export of erasures in format ${EXPORT_FORMAT}.`);
  }
  if (line.workspace !== String(workspaceId)) {
    const message = `The export is of workspace ${String(line.workspace)}, not of ${workspaceId}.`;
    throw new AppError('VALIDATION_FAILED', message);
  }
  if (line.identity_key !== (await keyMark(store))) {
    throw new AppError(
      'VALIDATION_FAILED',
      'The export was made under another identity key: its hashes mean nothing here. Restore keys/identity too.',
    );
  }
}

async function restoreRequests(
  { store, clock }: ReapplyDeps,
  workspaceId: WorkspaceId,
  requests: readonly RequestLine[],
): Promise<Pick<Reapplied, 'restored' | 'ended' | 'lost'>> {
  let restored = 0;
  let ended = 0;
  for (const request of requests.filter(isOver)) {
    if (await store.transaction((tx) => restoreRequest(tx, workspaceId, request))) restored++;
    else if (await store.transaction((tx) => endStored(tx, { workspaceId, request, nowMs: clock.nowMs() }))) ended++;
  }
  const open = requests.filter((request) => !isOver(request)).map(({ id }) => id);
  const there = await store.query<{ readonly id: string }>(
    'SELECT id FROM dsr_requests WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
    [workspaceId, open],
  );
  const known = new Set(there.map(({ id }) => id));
  return { restored, ended, lost: open.filter((id) => !known.has(id)) };
}

interface PersonAgain {
  readonly workspaceId: WorkspaceId;
  readonly person: ProfileId;
  readonly signal: AbortSignal;
}

/** The profile last: as long as it is there, it is found again. What came in between goes with the second look. */
async function eraseAgain(deps: ReapplyDeps, { workspaceId, person, signal }: PersonAgain): Promise<Counts> {
  const { store, identityKey: ledgerKey, clock } = deps;
  const { counts, count } = counting();
  const people = [person];
  const held = await heldIdentities(store, workspaceId, people);
  const identities = await personToSearch(store, ledgerKey, { workspaceId, people, held });
  const rooms = { store, workspaceId, people, identities, ledgerKey, signal, count, step: () => undefined };
  await eraseRooms(rooms);
  const nowMs = clock.nowMs();
  const gone = await aloneInTransaction(store, workspaceId, async (tx) => {
    await leaveOtherRooms(tx, { workspaceId, people, nowMs });
    // an identity whose tombstone was lifted since the erasure may come back: the export says which are left
    return await deps.tombstones.erasePeople(tx, { workspaceId, people, nowMs, buriesMpidsAlone: true });
  });
  await eraseRooms(rooms);
  return addCounts(counts(), { identity: { profiles: gone.profiles, identities: gone.identities } });
}

const TOMBSTONES_AT_ONCE = 10_000;

async function bury(deps: ReapplyDeps, workspaceId: WorkspaceId, tombstones: readonly Tombstone[]) {
  const done = { tombstones: 0, held: 0 };
  for (let from = 0; from < tombstones.length; from += TOMBSTONES_AT_ONCE) {
    const part = tombstones.slice(from, from + TOMBSTONES_AT_ONCE);
    const { applied, held } = await aloneInTransaction(deps.store, workspaceId, (tx) =>
      deps.tombstones.apply(tx, workspaceId, part),
    );
    done.tombstones += applied;
    done.held += held;
  }
  return done;
}

/** Erases the records that name somebody of whom nothing but tombstones is left. */
async function sweep(deps: ReapplyDeps, { workspaceId, signal }: Omit<PersonAgain, 'person'>): Promise<Counts> {
  const { store, identityKey } = deps;
  const buried = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await deps.tombstones.export(store, workspaceId, after);
    for (const { key } of page) buried.add(key);
    after = page.at(-1)?.key;
    if (after === undefined) break;
  }
  if (buried.size === 0) return {};
  const { counts, count } = counting();
  const rooms = { store, workspaceId, people: [], identities: [], ledgerKey: identityKey, signal, count };
  await eraseRooms({ ...rooms, step: () => undefined }, createNamesErased(createTombstoneKeys(identityKey), buried));
  return counts();
}

/** Adds up what rooms say that they erased, once it is committed. */
function counting(): { readonly counts: () => Counts; readonly count: RoomErasure['count'] } {
  let counts: Counts = {};
  return {
    counts: () => counts,
    count: async (tx, added) =>
      tx.afterCommit(() => {
        counts = addCounts(counts, added);
      }),
  };
}

async function record({ store, clock, log }: ReapplyDeps, { workspaceId, actor }: Reapplying, reapplied: Reapplied) {
  const { lost, ...detail } = reapplied;
  await store.transaction((tx) =>
    recordChange(tx, {
      ...{ workspaceId, actor, occurredOn: new Date(clock.nowMs()), action: 'erasures.reapplied' },
      ...{ resource: 'erasures', detail: { ...detail, lost: lost.length } },
    }),
  );
  log.info({ workspace: String(workspaceId), ...detail, lost: lost.length }, 'dsr.reapplied');
}
