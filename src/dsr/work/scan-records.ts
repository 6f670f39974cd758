// One scan of the records of a workspace that belong to no profile, for any number of erasures. Each page is read once and
// matched against all of them. Each erasure deletes its matches in its own transaction, with its own counts.
import type { MentionSearch } from '../../identity/index.ts';
import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import { inIndexOrder, type Store, type Transaction } from '../../store/index.ts';
import type { Counts } from './evidence.ts';
import { findMentions, type Mentions } from './find-mentions.ts';
import { forEachRoom, hasCounts, type ScannedRoom } from './scanned-rooms.ts';

/** One erasure in a scan. */
export interface ScanMember {
  readonly search: MentionSearch;
  readonly signal: AbortSignal;
  /** Adds counts to the evidence, in the transaction that erases the records. */
  readonly count: (tx: Transaction, counts: Counts) => Promise<void>;
  /** Reports the room that is searched. */
  readonly step: (step: string) => void;
}

export interface RecordScan<Member extends ScanMember> {
  readonly store: Store;
  readonly workspaceId: WorkspaceId;
  readonly ledgerKey: Secret;
  /** Returns the erasures still in the scan; one that fails leaves it. */
  readonly members: () => readonly Member[];
  /** Finds records that mention a person of any of the erasures. */
  readonly search: MentionSearch;
  /** Removes an erasure from the scan, with the error that ends it. */
  readonly leave: (member: Member, error: unknown) => void;
}

/** Scans each room until all are read or no erasure is left. Throws the error of a read, which fails all of them. */
export async function scanRecords<Member extends ScanMember>(scan: RecordScan<Member>): Promise<void> {
  await forEachRoom((room) => scanRoom(scan, room));
}

async function scanRoom<Member extends ScanMember, Ref, Position>(
  scan: RecordScan<Member>,
  room: ScannedRoom<Ref, Position>,
): Promise<void> {
  for (const { step } of scan.members()) step(room.step);
  let after: Position | undefined;
  do {
    for (const member of scan.members()) if (member.signal.aborted) scan.leave(member, member.signal.reason);
    if (scan.members().length === 0) return;
    const behind = after;
    const page = await inIndexOrder(scan.store, (tx) => room.read(tx, scan.workspaceId, behind));
    const named = await findMentions(page.records, scan.search);
    if (named.found.length > 0) await eraseFound(scan, room, named);
    after = page.next;
  } while (after !== undefined);
}

async function eraseFound<Member extends ScanMember, Ref, Position>(
  scan: RecordScan<Member>,
  room: ScannedRoom<Ref, Position>,
  { found }: Mentions<Ref>,
): Promise<void> {
  for (const member of scan.members()) {
    try {
      const mentions = await findMentions(found, member.search);
      if (mentions.found.length > 0) await eraseOwn(scan, room, { member, mentions });
    } catch (error) {
      scan.leave(member, error);
    }
  }
}

async function eraseOwn<Member extends ScanMember, Ref, Position>(
  { store, workspaceId, ledgerKey }: RecordScan<Member>,
  room: ScannedRoom<Ref, Position>,
  { member, mentions }: { readonly member: Member; readonly mentions: Mentions<Ref> },
): Promise<void> {
  const refs = mentions.found.map(({ ref }) => ref);
  const { mentionsPerson } = mentions;
  await store.transaction(async (tx) => {
    const counts = await room.erase(tx, { workspaceId, ledgerKey, refs, mentionsPerson });
    if (hasCounts(counts)) await member.count(tx, counts);
  });
}
