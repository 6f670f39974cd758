// Rooms below whose records belong to no profile and have to be scanned to find whom they mention. Reading and erasing are
// separate: a found record is erased by its own key, whatever arrives meanwhile.
import { eraseFromChanges, readChanges } from '../../access/index.ts';
import { eraseOfNobody, eraseRejected, readOfNobody, readRejected } from '../../events/index.ts';
import type { KeptRecord, MentionMatcher } from '../../identity/index.ts';
import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import { eraseFaults, eraseMessages, readFaults, readMessages } from '../../pipelines/index.ts';
import { eraseConflicts, eraseFailedRecords, readConflicts, readFailedRecords } from '../../runs/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Counts } from './evidence.ts';

export interface RecordPage<Ref, Position> {
  readonly records: readonly KeptRecord<Ref>[];
  /** Position of the next page; absent after the last. */
  readonly next?: Position;
}

/** Records of one page that mention a person. */
export interface ToErase<Ref> {
  readonly workspaceId: WorkspaceId;
  readonly refs: readonly Ref[];
  readonly mentionsPerson: MentionMatcher;
  readonly ledgerKey: Secret;
}

/** A kind of records of a room below, with the functions that read and erase them. */
export interface ScannedRoom<Ref, Position> {
  /** Description of the step. */
  readonly step: string;
  readonly read: (sql: Sql, workspaceId: WorkspaceId, after?: Position) => Promise<RecordPage<Ref, Position>>;
  /** Returns a number of records as evidence. */
  readonly countsOf: (records: number) => Counts;
  /** Erases records within a transaction. Returns the counts of those that still existed. */
  readonly erase: (tx: Transaction, toErase: ToErase<Ref>) => Promise<Counts>;
}

interface CountingRoom<Ref, Position> extends Omit<ScannedRoom<Ref, Position>, 'erase'> {
  readonly erase: (tx: Transaction, workspaceId: WorkspaceId, refs: readonly Ref[]) => Promise<number>;
}

const plain = <Ref, Position>({ erase, ...room }: CountingRoom<Ref, Position>): ScannedRoom<Ref, Position> => ({
  ...room,
  erase: async (tx, { workspaceId, refs }) => room.countsOf(await erase(tx, workspaceId, refs)),
});

const OF_NOBODY = plain({
  step: 'erasing batches of nobody',
  read: readOfNobody,
  countsOf: (records) => ({ events: { batches_of_nobody: records } }),
  erase: eraseOfNobody,
});

const REJECTED = plain({
  step: 'erasing rejected batches',
  read: readRejected,
  countsOf: (records) => ({ events: { rejected_batches: records } }),
  erase: eraseRejected,
});

const FAILED_RECORDS = scannedRoom({
  step: 'erasing failed records',
  read: readFailedRecords,
  countsOf: (records) => ({ engine: { failed_records: records } }),
  erase: async (tx, { workspaceId, refs, ledgerKey }) => {
    const { records, hashes } = await eraseFailedRecords(tx, { workspaceId, records: refs, ledgerKey });
    return { engine: { failed_records: records, resume_hashes: hashes } };
  },
});

const CONFLICTS = plain({
  step: 'erasing conflicts of write-backs',
  read: readConflicts,
  countsOf: (records) => ({ engine: { write_back_conflicts: records } }),
  erase: (tx, workspaceId, records) => eraseConflicts(tx, { workspaceId, records }),
});

const countMessages = (records: number): Counts => ({ sync: { messages: records } });

const MESSAGES = plain({
  step: 'erasing messages of runs',
  read: readMessages,
  countsOf: countMessages,
  erase: eraseMessages,
});

const FAULTS = plain({
  step: 'erasing messages of faults',
  read: readFaults,
  countsOf: countMessages,
  erase: eraseFaults,
});

const CHANGES = scannedRoom({
  step: 'erasing names in the audit log',
  read: readChanges,
  countsOf: countEntries,
  erase: async (tx, { workspaceId, refs, mentionsPerson }) =>
    countEntries(await eraseFromChanges(tx, { workspaceId, ids: refs, mentionsPerson })),
});

export function countEntries(entries: number): Counts {
  return { access: { audit_entries: entries } };
}

function scannedRoom<Ref, Position>(room: ScannedRoom<Ref, Position>): ScannedRoom<Ref, Position> {
  return room;
}

/** An action on any room, whatever its records are. */
export type RoomAction = <Ref, Position>(room: ScannedRoom<Ref, Position>) => Promise<void>;

export async function forEachRoom(act: RoomAction): Promise<void> {
  await act(OF_NOBODY);
  await act(REJECTED);
  await act(FAILED_RECORDS);
  await act(CONFLICTS);
  await act(MESSAGES);
  await act(FAULTS);
  await act(CHANGES);
}

export function hasCounts(counts: Counts): boolean {
  return Object.values(counts).some((kinds) => Object.values(kinds).some((count) => count > 0));
}
