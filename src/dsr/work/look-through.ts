// One look through the records of a workspace that belong to no profile, for any number of erasures. Each page is read once and
// matched against all of them. Each erasure deletes its matches in its own transaction, with its own counts.
import type { MentionSearch } from '../../identity/index.ts';
import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import { inIndexOrder, type Store, type Transaction } from '../../store/index.ts';
import type { Counts } from './evidence.ts';
import { findMentions, type Mentions } from './find-mentions.ts';
import { inEachRoom, isAny, type Room } from './rooms.ts';

/** One erasure in a look. */
export interface Looking {
  readonly search: MentionSearch;
  readonly signal: AbortSignal;
  /** Adds counts to the evidence, in the transaction that erases the records. */
  readonly count: (tx: Transaction, counts: Counts) => Promise<void>;
  /** Reports the room that is searched. */
  readonly step: (step: string) => void;
}

export interface Look<Member extends Looking> {
  readonly store: Store;
  readonly workspaceId: WorkspaceId;
  readonly ledgerKey: Secret;
  /** Returns the erasures still in the look; one that fails leaves it. */
  readonly members: () => readonly Member[];
  /** Finds records that name a person of any of the erasures. */
  readonly search: MentionSearch;
  /** Removes an erasure from the look, with the error that ends it. */
  readonly leave: (member: Member, error: unknown) => void;
}

/** Looks through each room until all are read or no erasure is left. Throws the error of a read, which fails all of them. */
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
    const named = await findMentions(page.records, look.search);
    if (named.found.length > 0) await eraseFound(look, room, named);
    after = page.next;
  } while (after !== undefined);
}

async function eraseFound<Member extends Looking, Ref, Position>(
  look: Look<Member>,
  room: Room<Ref, Position>,
  { found }: Mentions<Ref>,
): Promise<void> {
  for (const member of look.members()) {
    try {
      const mentions = await findMentions(found, member.search);
      if (mentions.found.length > 0) await eraseOwn(look, room, { member, mentions });
    } catch (error) {
      look.leave(member, error);
    }
  }
}

async function eraseOwn<Member extends Looking, Ref, Position>(
  { store, workspaceId, ledgerKey }: Look<Member>,
  room: Room<Ref, Position>,
  { member, mentions }: { readonly member: Member; readonly mentions: Mentions<Ref> },
): Promise<void> {
  const refs = mentions.found.map(({ ref }) => ref);
  const { mentionsPerson } = mentions;
  await store.transaction(async (tx) => {
    const counts = await room.erase(tx, { workspaceId, ledgerKey, refs, mentionsPerson });
    if (isAny(counts)) await member.count(tx, counts);
  });
}
