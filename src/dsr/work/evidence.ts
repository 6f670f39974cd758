import { AppError, parseJson, stringifyJson } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Request } from '../request.ts';

/** How many of what went, by room and kind: nothing in it is personal. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export function addCounts(counts: Counts, added: Counts): Counts {
  const rooms = new Set([...Object.keys(counts), ...Object.keys(added)]);
  return Object.fromEntries([...rooms].map((room) => [room, sum(counts[room] ?? {}, added[room] ?? {})]));
}

function sum(counts: Counts[string], added: Counts[string]): Counts[string] {
  const kinds = new Set([...Object.keys(counts), ...Object.keys(added)]);
  return Object.fromEntries([...kinds].map((kind) => [kind, (counts[kind] ?? 0) + (added[kind] ?? 0)]));
}

/** A request has none before its first part was done. */
export function readCounts({ counts }: Pick<Request, 'counts'>): Counts {
  return counts === null ? {} : (parseJson(counts) as Counts);
}

export type Fence = Pick<Request, 'workspaceId' | 'id' | 'attempts'>;

/** Part of the transaction that erases what it counts. Throws LEASE_LOST when another worker has the request. */
export async function addEvidence(tx: Transaction, fence: Fence, added: Counts): Promise<void> {
  const counts = readCounts(await lockAttempt(tx, fence));
  await tx.execute('UPDATE dsr_requests SET counts = $3 WHERE workspace_id = $1 AND id = $2', [
    fence.workspaceId,
    fence.id,
    stringifyJson(addCounts(counts, added)),
  ]);
}

/** Nobody else takes the request before this transaction is over. Throws LEASE_LOST when somebody has. */
export async function lockAttempt(
  tx: Transaction,
  { workspaceId, id, attempts }: Fence,
): Promise<Pick<Request, 'counts'>> {
  const [row] = await tx.query<Pick<Request, 'counts'>>(
    `SELECT counts FROM dsr_requests
     WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'in_progress' FOR UPDATE`,
    [workspaceId, id, attempts],
  );
  if (row !== undefined) return row;
  throw new AppError('LEASE_LOST', `Another worker has taken the request ${id}; nothing more is written here.`);
}
