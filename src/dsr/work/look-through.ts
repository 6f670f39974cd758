// One look over what a workspace keeps of nobody's profile, for any number of erasures: each page is read once and held
// against all of them, and who is named in it erases what names them in a transaction of their own, with their own count.
import type { NamesIn } from '../../identity/index.ts';
import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import { inIndexOrder, type Store, type Transaction } from '../../store/index.ts';
import type { Counts } from './evidence.ts';
import { findNaming, type Naming } from './find-naming.ts';
import { inEachRoom, isAny, type Room } from './rooms.ts';

/** One erasure of a look. */
export interface Looking {
  readonly namesIn: NamesIn;
  readonly signal: AbortSignal;
  /** Part of the transaction that has erased so many. */
  readonly count: (tx: Transaction, counts: Counts) => Promise<void>;
  /** Says which room it is in. */
  readonly step: (step: string) => void;
}

export interface Look<Member extends Looking> {
  readonly store: Store;
  readonly workspaceId: WorkspaceId;
  readonly ledgerKey: Secret;
  /** Those who are still in it: whoever fails leaves it. */
  readonly members: () => readonly Member[];
  /** Finds whoever any of them looks for. */
  readonly namesIn: NamesIn;
  /** Tells a member why the look goes on without it. */
  readonly leave: (member: Member, error: unknown) => void;
}

/** Ends when each room was read, or nobody is left. Throws what a read throws: then it has failed for all. */
export async function lookThrough<Member extends Looking>(look: Look<Member>): Promise<void> {
  await inEachRoom((room) => lookIn(look, room));
}

async function lookIn<Member extends Looking, Ref, Position>(
  look: Look<Member>,
  room: Room<Ref, Position>,
): Promise<void> {
  for (const { step } of look.members()) step(room.step);
  let after: Position | undefined;
  do {
    for (const member of look.members()) if (member.signal.aborted) look.leave(member, member.signal.reason);
    if (look.members().length === 0) return;
    const behind = after;
    const page = await inIndexOrder(look.store, (tx) => room.read(tx, look.workspaceId, behind));
    const named = await findNaming(page.records, look.namesIn);
    if (named.found.length > 0) await eraseFound(look, room, named);
    after = page.next;
  } while (after !== undefined);
}

async function eraseFound<Member extends Looking, Ref, Position>(
  look: Look<Member>,
  room: Room<Ref, Position>,
  { found }: Naming<Ref>,
): Promise<void> {
  for (const member of look.members()) {
    try {
      const naming = await findNaming(found, member.namesIn);
      if (naming.found.length > 0) await eraseOwn(look, room, { member, naming });
    } catch (error) {
      look.leave(member, error);
    }
  }
}

async function eraseOwn<Member extends Looking, Ref, Position>(
  { store, workspaceId, ledgerKey }: Look<Member>,
  room: Room<Ref, Position>,
  { member, naming }: { readonly member: Member; readonly naming: Naming<Ref> },
): Promise<void> {
  const refs = naming.found.map(({ ref }) => ref);
  const { namesPerson } = naming;
  await store.transaction(async (tx) => {
    const counts = await room.erase(tx, { workspaceId, ledgerKey, refs, namesPerson });
    if (isAny(counts)) await member.count(tx, counts);
  });
}
