import { recordChange } from '../../access/index.ts';
import {
  type AppliedTombstones,
  type ProfileId,
  runExclusively,
  type Tombstone,
  type Tombstones,
} from '../../identity/index.ts';
import { AppError, type Clock, type Log, parseJson, type Secret, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Store } from '../../store/index.ts';
import { requireVacuum } from '../vacuum/vacuum-after-erasures.ts';
import { eraseMentions, eraseRecords, type RecordErasure } from '../work/erase-records.ts';
import { detachMpids } from '../work/erase-subject.ts';
import { addCounts, type Counts } from '../work/evidence.ts';
import { identitiesToSearch, readHeldIdentities } from '../work/identities-to-search.ts';
import { endStoredRequest } from './end-stored-request.ts';
import { EXPORT_FORMAT, readKeyFingerprint } from './export-erasures.ts';
import { isOver, readRequestLine, restoreRequest } from './request-line.ts';

export interface ReapplyDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly identityKey: Secret;
  readonly tombstones: Tombstones;
}

export interface ReapplyRequest {
  readonly workspaceId: WorkspaceId;
  /** Reads an export of this workspace from its first line on. */
  readonly lines: () => AsyncIterable<string> | Iterable<string>;
  readonly actor: string;
  readonly signal: AbortSignal;
}

export interface ReapplyResult {
  /** Requests that the store lacked. */
  readonly restored: number;
  /** Requests that were over and that the store held open. */
  readonly ended: number;
  /** Open requests that the store lacks: nobody knows their subject any more. */
  readonly lost: readonly string[];
  readonly people: number;
  readonly tombstones: number;
  /** Keys that get no tombstone, because a living profile holds them. */
  readonly held: number;
  readonly counts: Counts;
}

/**
 * Applies the erasures of an export to a store that was restored from an older backup. First writes the tombstones. Then erases
 * the profiles whose MPIDs have one, from all rooms. Last writes the tombstones of what these profiles held.
 *
 * Meant for a store that receives no deliveries meanwhile. Repeatable, also after a crash: a profile goes only after what the
 * other rooms hold of it. A record older than its profile came back without it and is found by the tombstones. Streams the
 * export several times. Throws VALIDATION_FAILED before anything changes.
 */
export async function reapplyErasures(deps: ReapplyDeps, reapplying: ReapplyRequest): Promise<ReapplyResult> {
  const { workspaceId, signal } = reapplying;
  await checkExport(deps, reapplying);
  const requests = await restoreRequests(deps, reapplying);
  const first = await applyExport(deps, reapplying);
  let counts: Counts = {};
  let people = 0;
  for await (const again of deps.tombstones.findErasedProfiles(deps.store, workspaceId)) {
    people += again.length;
    counts = addCounts(counts, await eraseAgain(deps, { workspaceId, people: again, signal }));
  }
  const second = await applyExport(deps, reapplying);
  if (second.given > 0) counts = addCounts(counts, await eraseByTombstones(deps, { workspaceId, signal }));
  const { ids, ...restored } = requests;
  if (Object.keys(counts).length > 0) await requireVacuum(deps.store, workspaceId, ids);
  const buried = { tombstones: first.applied + second.applied, held: second.held };
  const reapplied = { ...restored, people, ...buried, counts };
  await record(deps, reapplying, reapplied);
  return reapplied;
}

/**
 * Reads the lines of the export after its header. Throws VALIDATION_FAILED where the header is of another workspace or
 * installation.
 */
async function* linesOf(deps: ReapplyDeps, { workspaceId, lines }: ReapplyRequest) {
  let isFirst = true;
  for await (const text of lines()) {
    if (text.trim() === '') continue;
    const line = lineOf(text);
    if (isFirst) await requireOurs(deps, workspaceId, line);
    else yield { line, text };
    isFirst = false;
  }
  if (isFirst) throw new AppError('VALIDATION_FAILED', 'The export is empty: its first line is missing.');
}

type Line = Readonly<Record<string, unknown>>;

function lineOf(text: string): Line {
  try {
    return parseJson(text) as Line;
  } catch {
    throw new AppError('VALIDATION_FAILED', 'The export has a line that is not JSON; the file may be incomplete.');
  }
}

async function requireOurs({ store }: ReapplyDeps, workspaceId: WorkspaceId, line: Line): Promise<void> {
  if (line.kind !== 'erasures' || line.format !== EXPORT_FORMAT) {
    throw new AppError('VALIDATION_FAILED', `The file is not an export of erasures in format ${EXPORT_FORMAT}.`);
  }
  if (line.workspace !== String(workspaceId)) {
    const message = `The export is of workspace ${String(line.workspace)}, not of ${workspaceId}.`;
    throw new AppError('VALIDATION_FAILED', message);
  }
  if (line.identity_key !== (await readKeyFingerprint(store))) {
    throw new AppError(
      'VALIDATION_FAILED',
      'The export was made with another identity key, so its hashes do not match. Restore keys/identity too.',
    );
  }
}

/** Validates the export by reading it to its end. */
async function checkExport(deps: ReapplyDeps, reapplying: ReapplyRequest): Promise<void> {
  const lines = linesOf(deps, reapplying);
  while (!(await lines.next()).done);
}

interface RestoredRequests extends Pick<ReapplyResult, 'restored' | 'ended' | 'lost'> {
  /** Ids of all requests in the export. */
  readonly ids: readonly string[];
}

async function restoreRequests(deps: ReapplyDeps, reapplying: ReapplyRequest): Promise<RestoredRequests> {
  const { workspaceId } = reapplying;
  const { store, clock } = deps;
  const ids: string[] = [];
  const open: string[] = [];
  let restored = 0;
  let ended = 0;
  for await (const { line, text } of linesOf(deps, reapplying)) {
    if (line.kind !== 'request') continue;
    const request = readRequestLine(line, text);
    ids.push(request.id);
    if (!isOver(request)) open.push(request.id);
    else if (await store.transaction((tx) => restoreRequest(tx, workspaceId, request))) restored++;
    else if (await store.transaction((tx) => endStoredRequest(tx, { workspaceId, request, nowMs: clock.nowMs() })))
      ended++;
  }
  return { ids, restored, ended, lost: await missing(store, workspaceId, open) };
}

async function missing(sql: Sql, workspaceId: WorkspaceId, ids: readonly string[]): Promise<readonly string[]> {
  const there = await sql.query<{ readonly id: string }>(
    'SELECT id FROM dsr_requests WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
    [workspaceId, ids],
  );
  const known = new Set(there.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

interface PeopleAgain {
  readonly workspaceId: WorkspaceId;
  readonly people: readonly ProfileId[];
  readonly signal: AbortSignal;
}

/**
 * Erases profiles again, from the other rooms first. Until its last step a repetition finds them again. The second pass over
 * the rooms erases what arrived in between.
 */
async function eraseAgain(deps: ReapplyDeps, { workspaceId, people, signal }: PeopleAgain): Promise<Counts> {
  const { store, identityKey: ledgerKey, clock } = deps;
  const { counts, count } = counting();
  const held = await readHeldIdentities(store, workspaceId, people);
  const identities = await identitiesToSearch(store, ledgerKey, { workspaceId, people, held });
  const rooms = { store, workspaceId, people, identities, ledgerKey, signal, count, step: () => undefined };
  await eraseRecords(rooms);
  const nowMs = clock.nowMs();
  const gone = await runExclusively(store, workspaceId, async (tx) => {
    await detachMpids(tx, { workspaceId, people, nowMs });
    // an identity whose tombstone was lifted since the erasure may return: the export says which tombstones remain
    return await deps.tombstones.erasePeople(tx, { workspaceId, people, nowMs, buriesMpidsAlone: true });
  });
  await eraseRecords(rooms);
  return addCounts(counts(), { identity: { profiles: gone.profiles, identities: gone.identities } });
}

const TOMBSTONES_AT_ONCE = 10_000;

interface AppliedExport extends AppliedTombstones {
  /** Tombstones in the export. */
  readonly given: number;
}

/** Writes the tombstones of the export, except those of keys that a profile holds. */
async function applyExport(deps: ReapplyDeps, reapplying: ReapplyRequest): Promise<AppliedExport> {
  const done = { applied: 0, held: 0, given: 0 };
  let part: Tombstone[] = [];
  const buryPart = async () => {
    const { applied, held } = await runExclusively(deps.store, reapplying.workspaceId, (tx) =>
      deps.tombstones.apply(tx, reapplying.workspaceId, part),
    );
    done.applied += applied;
    done.held += held;
    done.given += part.length;
    part = [];
  };
  for await (const { line } of linesOf(deps, reapplying)) {
    if (line.kind === 'request') continue;
    part.push({ key: String(line.key), erasedOn: new Date(String(line.erased_on)) });
    if (part.length === TOMBSTONES_AT_ONCE) await buryPart();
  }
  if (part.length > 0) await buryPart();
  return done;
}

/** Erases records that name people of whom only tombstones are left. */
async function eraseByTombstones(
  deps: ReapplyDeps,
  { workspaceId, signal }: Omit<PeopleAgain, 'people'>,
): Promise<Counts> {
  const { store, identityKey: ledgerKey, tombstones } = deps;
  const { counts, count } = counting();
  const rooms = { store, workspaceId, people: [], identities: [], ledgerKey, signal, count, step: () => undefined };
  await eraseMentions(rooms, tombstones.searchErased(store, workspaceId));
  return counts();
}

/** Returns a counter that adds up what rooms erased, once the transaction commits. */
function counting(): { readonly counts: () => Counts; readonly count: RecordErasure['count'] } {
  let counts: Counts = {};
  return {
    counts: () => counts,
    count: async (tx, added) =>
      tx.afterCommit(() => {
        counts = addCounts(counts, added);
      }),
  };
}

async function record(
  { store, clock, log }: ReapplyDeps,
  { workspaceId, actor }: ReapplyRequest,
  reapplied: ReapplyResult,
) {
  const { lost, ...detail } = reapplied;
  await store.transaction((tx) =>
    recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: new Date(clock.nowMs()),
      action: 'erasures.reapplied',
      resource: 'erasures',
      detail: { ...detail, lost: lost.length },
    }),
  );
  log.info({ workspace: String(workspaceId), ...detail, lost: lost.length }, 'dsr.reapplied');
}
