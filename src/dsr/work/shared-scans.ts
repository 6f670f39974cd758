// Erasures of one workspace that are due together share one scan of the records that belong to no profile. Each keeps its
// own job, claim, fence and counts, and completes or fails on its own.
import type { WorkspaceId } from '../../kernel/index.ts';
import { createMentionSearch, identifiersOf, type RecordErasure } from './erase-records.ts';
import { scanRecords } from './scan-records.ts';
import type { TakeTurn } from './turns.ts';

/**
 * Erases the records that mention the people, in the next scan of their workspace. Their profiles must be gone, so that
 * tombstones refuse what arrives behind the scan. Throws what this erasure or the whole scan threw, and CANCELLED on an abort.
 */
export type JoinScan = (erasure: RecordErasure) => Promise<void>;

interface Joined extends RecordErasure {
  readonly search: ReturnType<typeof createMentionSearch>;
  readonly end: PromiseWithResolvers<void>;
}

/**
 * Creates the shared scans of a process. An erasure that arrives during a scan waits for the next one: a scan does not reread
 * what it has passed.
 */
export function createSharedScans(takeTurn: TakeTurn): JoinScan {
  const waiting = new Map<WorkspaceId, Joined[]>();
  const scanWaiting = async (workspaceId: WorkspaceId) => {
    for (let left = waiting.get(workspaceId); left !== undefined && left.length > 0; left = waiting.get(workspaceId)) {
      await takeTurn(() => scan(waiting.get(workspaceId)?.splice(0) ?? []));
    }
    waiting.delete(workspaceId);
  };
  return async (erasure) => {
    const joined = {
      ...erasure,
      search: createMentionSearch(identifiersOf(erasure)),
      end: Promise.withResolvers<void>(),
    };
    const others = waiting.get(erasure.workspaceId);
    if (others === undefined) {
      waiting.set(erasure.workspaceId, [joined]);
      void scanWaiting(erasure.workspaceId);
    } else others.push(joined);
    await joined.end.promise;
  };
}

/** Runs one scan. Never throws: each erasure gets its own outcome. */
async function scan(joined: readonly Joined[]): Promise<void> {
  const members = new Set(joined);
  const leave = (member: Joined, error: unknown) => {
    members.delete(member);
    member.end.reject(error);
  };
  const [first] = joined;
  if (first === undefined) return;
  const { store, workspaceId, ledgerKey } = first;
  const all = joined.map(identifiersOf);
  const search = createMentionSearch({
    identities: all.flatMap(({ identities }) => identities),
    mpids: all.flatMap(({ mpids }) => mpids),
  });
  try {
    await scanRecords({ store, workspaceId, ledgerKey, search, leave, members: () => [...members] });
    for (const { end } of members) end.resolve();
  } catch (error) {
    for (const { end } of members) end.reject(error);
  }
}
