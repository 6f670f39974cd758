// Erasures of one workspace that are due together share one look through the records that have to be scanned. Each keeps its
// own job, claim, fence and counts, and completes or fails on its own.
import type { WorkspaceId } from '../../kernel/index.ts';
import { createMentionSearch, identifiersOf, type RoomErasure } from './erase-rooms.ts';
import { lookThrough } from './look-through.ts';
import type { TakeTurn } from './turns.ts';

/**
 * Erases the records that name the people, in the next look through their workspace. Their profiles must be gone, so that
 * tombstones refuse what arrives behind the look. Throws what this erasure or the whole look threw, and CANCELLED on an abort.
 */
export type ShareLook = (erasure: RoomErasure) => Promise<void>;

interface Joined extends RoomErasure {
  readonly search: ReturnType<typeof createMentionSearch>;
  readonly end: PromiseWithResolvers<void>;
}

/**
 * Creates the shared looks of a process. An erasure that arrives during a look waits for the next one: a look does not reread
 * what it has passed.
 */
export function createSharedLooks(takeTurn: TakeTurn): ShareLook {
  const waiting = new Map<WorkspaceId, Joined[]>();
  const lookOn = async (workspaceId: WorkspaceId) => {
    for (let left = waiting.get(workspaceId); left !== undefined && left.length > 0; left = waiting.get(workspaceId)) {
      await takeTurn(() => look(waiting.get(workspaceId)?.splice(0) ?? []));
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
      void lookOn(erasure.workspaceId);
    } else others.push(joined);
    await joined.end.promise;
  };
}

/** Runs one look. Never throws: each erasure gets its own outcome. */
async function look(joined: readonly Joined[]): Promise<void> {
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
    await lookThrough({ store, workspaceId, ledgerKey, search, leave, members: () => [...members] });
    for (const { end } of members) end.resolve();
  } catch (error) {
    for (const { end } of members) end.reject(error);
  }
}
