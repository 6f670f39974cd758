// What the rooms below hold of people whose profiles are gone, or go next: each is asked part by part, and each part is one
// transaction with its count, so that a crash anywhere repeats nothing and loses no count.
import { eraseFromChanges } from '../../access/index.ts';
import { eraseConflicts, eraseFailedRecords, findConflicts, findFailedRecords } from '../../engine/index.ts';
import { eraseBatches, eraseOfNobody, eraseRejected } from '../../events/index.ts';
import { createNamesPerson, type Identity, type NamesPerson, type ProfileId } from '../../identity/index.ts';
import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import { inIndexOrder, type Store, type Transaction } from '../../store/index.ts';
import { eraseMessages } from '../../sync/index.ts';
import { dropGivenUpFiles, giveUpFilesOf } from '../result/drop-result-files.ts';
import type { Counts } from './evidence.ts';

export interface PeopleInRooms {
  readonly workspaceId: WorkspaceId;
  readonly people: readonly ProfileId[];
  /** By which they are looked for where no MPID stands. */
  readonly identities: readonly Identity[];
}

export interface RoomErasure extends PeopleInRooms {
  readonly store: Store;
  readonly ledgerKey: Secret;
  readonly signal: AbortSignal;
  /** Part of the transaction that has erased so many. */
  readonly count: (tx: Transaction, counts: Counts) => Promise<void>;
  /** Says which room it is in. */
  readonly step: (step: string) => void;
}

type Room = (erasure: RoomErasure, namesPerson: NamesPerson) => Promise<void>;

const ROOMS: readonly (readonly [step: string, erase: Room])[] = [
  ['erasing batches', ofBatches],
  ['erasing batches of nobody', ofNobody],
  ['erasing rejected batches', ofRejected],
  ['erasing failed records', ofFailedRecords],
  ['erasing conflicts of write-backs', ofConflicts],
  ['erasing messages of runs', ofMessages],
  ['erasing names in the audit log', ofChanges],
  ['erasing result files', ofResultFiles],
];

/**
 * May be done again from its start at any time: what is gone is not found. `namesPerson` finds records of nobody's profile;
 * by default those that name the people. Throws CANCELLED on an abort.
 */
export async function eraseRooms(
  erasure: RoomErasure,
  namesPerson: NamesPerson = createNamesPerson({ identities: erasure.identities, mpids: mpidsOf(erasure) }),
): Promise<void> {
  for (const [step, erase] of ROOMS) {
    erasure.step(step);
    await erase(erasure, namesPerson);
  }
}

const mpidsOf = ({ people }: PeopleInRooms) => [...new Set(people.map(({ mpid }) => mpid))];

interface Part<Position> {
  /** Undefined: there is no further part. */
  readonly next?: Position | undefined;
}

/** One part after the other, until there is none. */
async function inParts<Position>(
  { signal }: RoomErasure,
  erasePart: (after: Position | undefined) => Promise<Part<Position>>,
): Promise<void> {
  let after: Position | undefined;
  do {
    signal.throwIfAborted();
    after = (await erasePart(after)).next;
  } while (after !== undefined);
}

async function ofBatches(erasure: RoomErasure): Promise<void> {
  const { store, workspaceId, count } = erasure;
  for (const person of erasure.people) {
    await inParts(erasure, (after: Parameters<typeof eraseBatches>[2]) =>
      store.transaction(async (tx) => {
        const part = await eraseBatches(tx, { workspaceId, ...person }, after);
        if (part.erased > 0) await count(tx, { events: { batches: part.erased } });
        return part;
      }),
    );
  }
}

async function ofNobody(erasure: RoomErasure, namesPerson: NamesPerson): Promise<void> {
  const { store, workspaceId, count } = erasure;
  await inParts(erasure, (after: Parameters<typeof eraseOfNobody>[1]['after']) =>
    inIndexOrder(store, async (tx) => {
      const part = await eraseOfNobody(tx, { workspaceId, namesPerson, after });
      if (part.erased > 0) await count(tx, { events: { batches_of_nobody: part.erased } });
      return part;
    }),
  );
}

async function ofRejected(erasure: RoomErasure, namesPerson: NamesPerson): Promise<void> {
  const { store, workspaceId, count } = erasure;
  await inParts(erasure, (after: bigint | undefined) =>
    inIndexOrder(store, async (tx) => {
      const part = await eraseRejected(tx, { workspaceId, namesPerson, after });
      if (part.erased > 0) await count(tx, { events: { rejected_batches: part.erased } });
      return part;
    }),
  );
}

type Position = NonNullable<Parameters<typeof findFailedRecords>[1]['after']>;

async function ofFailedRecords(erasure: RoomErasure, namesPerson: NamesPerson): Promise<void> {
  const { store, workspaceId, ledgerKey, count } = erasure;
  await inParts(erasure, async (after: Position | undefined) => {
    const { found, next } = await inIndexOrder(store, (tx) =>
      findFailedRecords(tx, { workspaceId, namesPerson, after }),
    );
    if (found.length > 0) {
      await store.transaction(async (tx) => {
        const { records, hashes } = await eraseFailedRecords(tx, { workspaceId, records: found, ledgerKey });
        await count(tx, { engine: { failed_records: records, resume_hashes: hashes } });
      });
    }
    return { next };
  });
}

async function ofConflicts(erasure: RoomErasure, namesPerson: NamesPerson): Promise<void> {
  const { store, workspaceId, count } = erasure;
  await inParts(erasure, async (after: Position | undefined) => {
    const { found, next } = await inIndexOrder(store, (tx) => findConflicts(tx, { workspaceId, namesPerson, after }));
    if (found.length > 0) {
      await store.transaction(async (tx) => {
        const conflicts = await eraseConflicts(tx, { workspaceId, records: found });
        await count(tx, { engine: { write_back_conflicts: conflicts } });
      });
    }
    return { next };
  });
}

async function ofMessages(erasure: RoomErasure, namesPerson: NamesPerson): Promise<void> {
  const { store, workspaceId, count } = erasure;
  await inParts(erasure, (after: bigint | undefined) =>
    inIndexOrder(store, async (tx) => {
      const part = await eraseMessages(tx, { workspaceId, namesPerson, after });
      if (part.erased > 0) await count(tx, { sync: { messages: part.erased } });
      return part;
    }),
  );
}

async function ofChanges(erasure: RoomErasure, namesPerson: NamesPerson): Promise<void> {
  const { store, workspaceId, count } = erasure;
  await inParts(erasure, (after: bigint | undefined) =>
    inIndexOrder(store, async (tx) => {
      const part = await eraseFromChanges(tx, { workspaceId, mpids: mpidsOf(erasure), namesPerson, after });
      if (part.erased > 0) await count(tx, { access: { audit_entries: part.erased } });
      return part;
    }),
  );
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
