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
import { deleteHiddenFiles, hideFilesOf } from '../result/drop-result-files.ts';
import type { Counts } from './evidence.ts';
import { scanRecords } from './scan-records.ts';
import { countEntries } from './scanned-rooms.ts';

/** People whose records are searched for. */
export interface PeopleToErase {
  readonly workspaceId: WorkspaceId;
  readonly people: readonly ProfileId[];
  /** Identities to search for in records without an MPID. */
  readonly identities: readonly Identity[];
}

/** An erasure of people from the records of all rooms. */
export interface RecordErasure extends PeopleToErase {
  readonly store: Store;
  readonly ledgerKey: Secret;
  readonly signal: AbortSignal;
  /** Adds counts to the evidence, in the transaction that erases the records. */
  readonly count: (tx: Transaction, counts: Counts) => Promise<void>;
  /** Reports the room that is searched. */
  readonly step: (step: string) => void;
}

/**
 * Erases all that the rooms hold of the people, in a scan of its own. Repeatable: erased records are not found again. Throws
 * CANCELLED on an abort.
 */
export async function eraseRecords(erasure: RecordErasure): Promise<void> {
  await eraseBatchesOf(erasure);
  await eraseMentions(erasure);
  await eraseTraces(erasure);
}

/** Erases the records that mention the people, or those that `search` finds, in a scan of its own. */
export async function eraseMentions(
  erasure: RecordErasure,
  search: MentionSearch = createMentionSearch(identifiersOf(erasure)),
): Promise<void> {
  const { store, workspaceId, ledgerKey } = erasure;
  await scanRecords({
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

const mpidsOf = ({ people }: PeopleToErase) => [...new Set(people.map(({ mpid }) => mpid))];

export const identifiersOf = (people: PeopleToErase): PersonIdentifiers => ({
  identities: people.identities,
  mpids: mpidsOf(people),
});

/** Creates a search for people whose identities are known. */
export function createMentionSearch(identifiers: PersonIdentifiers): MentionSearch {
  const mentionsPerson = createMentionMatcher(identifiers);
  return async () => mentionsPerson;
}

/** Erases the batches of the people's MPIDs. */
export async function eraseBatchesOf(erasure: RecordErasure): Promise<void> {
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
export async function eraseTraces(erasure: RecordErasure): Promise<void> {
  erasure.step('erasing audit entries of profile views');
  await eraseViews(erasure);
  erasure.step('erasing result files');
  await eraseResultFiles(erasure);
}

async function eraseViews(erasure: RecordErasure): Promise<void> {
  const { store, workspaceId, count } = erasure;
  await store.transaction(async (tx) => {
    const entries = await eraseLooks(tx, { workspaceId, mpids: mpidsOf(erasure) });
    if (entries > 0) await count(tx, countEntries(entries));
  });
}

async function eraseResultFiles(erasure: RecordErasure): Promise<void> {
  const { store, workspaceId, count, signal } = erasure;
  await store.transaction(async (tx) => {
    const files = await hideFilesOf(tx, { workspaceId, mpids: mpidsOf(erasure) });
    if (files > 0) await count(tx, { dsr: { result_files: files } });
  });
  await deleteHiddenFiles(store, workspaceId, signal);
  signal.throwIfAborted();
}
