import { AppError, parseJson, stringifyJson } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Request } from '../request.ts';

/** Numbers of erased records, by room and kind, without personal data. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export function addCounts(counts: Counts, added: Counts): Counts {
  const rooms = new Set([...Object.keys(counts), ...Object.keys(added)]);
  return Object.fromEntries([...rooms].map((room) => [room, sum(counts[room] ?? {}, added[room] ?? {})]));
}

function sum(counts: Counts[string], added: Counts[string]): Counts[string] {
  const kinds = new Set([...Object.keys(counts), ...Object.keys(added)]);
  return Object.fromEntries([...kinds].map((kind) => [kind, (counts[kind] ?? 0) + (added[kind] ?? 0)]));
}

/** Returns the counts of a request; none before its first part is done. */
export function readCounts({ counts }: Pick<Request, 'counts'>): Counts {
  return counts === null ? {} : (parseJson(counts) as Counts);
}

export type Fence = Pick<Request, 'workspaceId' | 'id' | 'attempts'>;

/**
 * Adds counts to a request, in the transaction that erases what they count. Throws LEASE_LOST where another worker has the
 * request.
 */
export async function addEvidence(tx: Transaction, fence: Fence, added: Counts): Promise<void> {
  const counts = readCounts(await lockAttempt(tx, fence));
  await tx.execute('UPDATE dsr_requests SET counts = $3 WHERE workspace_id = $1 AND id = $2', [
    fence.workspaceId,
    fence.id,
    stringifyJson(addCounts(counts, added)),
  ]);
}

/** Locks a request for its attempt to the end of the transaction. Throws LEASE_LOST where another worker has taken it. */
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
  throw new AppError('LEASE_LOST', `Another worker took over the request ${id}; this one writes nothing more.`);
}
