// Erases what the rooms below hold of people whose profiles are gone or go next. Each part is one transaction with its counts,
// so that a crash neither repeats an erasure nor loses a count.
import { eraseLooks } from '../../access/index.ts';
import { eraseBatches } from '../../events/index.ts';
import {
  createMentionMatcher,
  type Identity,
  type MentionSearch,
  type PersonIdentifiers,
  type ProfileId,
} from '../../identity/index.ts';
import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import { dropGivenUpFiles, giveUpFilesOf } from '../result/drop-result-files.ts';
import type { Counts } from './evidence.ts';
import { lookThrough } from './look-through.ts';
import { countEntries } from './rooms.ts';

export interface PeopleInRooms {
  readonly workspaceId: WorkspaceId;
  readonly people: readonly ProfileId[];
  /** Identities to search for in records without an MPID. */
  readonly identities: readonly Identity[];
}

export interface RoomErasure extends PeopleInRooms {
  readonly store: Store;
  readonly ledgerKey: Secret;
  readonly signal: AbortSignal;
  /** Adds counts to the evidence, in the transaction that erases the records. */
  readonly count: (tx: Transaction, counts: Counts) => Promise<void>;
  /** Reports the room that is searched. */
  readonly step: (step: string) => void;
}

/**
 * Erases all that the rooms hold of the people, in a look of its own. Repeatable: erased records are not found again. Throws
 * CANCELLED on an abort.
 */
export async function eraseRooms(erasure: RoomErasure): Promise<void> {
  await eraseBatchesOf(erasure);
  await eraseNaming(erasure);
  await eraseTraces(erasure);
}

/** Erases the records that name the people, or those `search` finds, in a look of its own. */
export async function eraseNaming(
  erasure: RoomErasure,
  search: MentionSearch = createMentionSearch(identifiersOf(erasure)),
): Promise<void> {
  const { store, workspaceId, ledgerKey } = erasure;
  await lookThrough({
    store,
    workspaceId,
    ledgerKey,
    search,
    members: () => [{ ...erasure, search }],
    leave: (_member, error) => {
      throw error;
    },
  });
}

const mpidsOf = ({ people }: PeopleInRooms) => [...new Set(people.map(({ mpid }) => mpid))];

export const identifiersOf = (people: PeopleInRooms): PersonIdentifiers => ({
  identities: people.identities,
  mpids: mpidsOf(people),
});

export function createMentionSearch(names: PersonIdentifiers): MentionSearch {
  const mentionsPerson = createMentionMatcher(names);
  return async () => mentionsPerson;
}

/** Erases the batches of the people's MPIDs. */
export async function eraseBatchesOf(erasure: RoomErasure): Promise<void> {
  const { store, workspaceId, count, signal } = erasure;
  erasure.step('erasing batches');
  for (const person of erasure.people) {
    let after: Parameters<typeof eraseBatches>[2];
    do {
      signal.throwIfAborted();
      const behind = after;
      const part = await store.transaction(async (tx) => {
        const done = await eraseBatches(tx, { workspaceId, ...person }, behind);
        if (done.erased > 0) await count(tx, { events: { batches: done.erased } });
        return done;
      });
      after = part.next;
    } while (after !== undefined);
  }
}

/** Erases what was derived from the people's profiles: audit entries of who viewed them, and result files. */
export async function eraseTraces(erasure: RoomErasure): Promise<void> {
  erasure.step('erasing looks at profiles');
  await ofLooks(erasure);
  erasure.step('erasing result files');
  await ofResultFiles(erasure);
}

async function ofLooks(erasure: RoomErasure): Promise<void> {
  const { store, workspaceId, count } = erasure;
  await store.transaction(async (tx) => {
    const entries = await eraseLooks(tx, { workspaceId, mpids: mpidsOf(erasure) });
    if (entries > 0) await count(tx, countEntries(entries));
  });
}

async function ofResultFiles(erasure: RoomErasure): Promise<void> {
  const { store, workspaceId, count, signal } = erasure;
  await store.transaction(async (tx) => {
    const files = await giveUpFilesOf(tx, { workspaceId, mpids: mpidsOf(erasure) });
    if (files > 0) await count(tx, { dsr: { result_files: files } });
  });
  await dropGivenUpFiles(store, workspaceId, signal);
  signal.throwIfAborted();
}
