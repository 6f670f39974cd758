import type { Identity } from '../identity/index.ts';
import type { WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

/** Batches that are looked at for one identity: some hundred milliseconds. */
const NEWEST = 100_000;

interface Carriers {
  readonly workspaceId: WorkspaceId;
  /** Those whose batches do not count. */
  readonly without: readonly bigint[];
  readonly identity: Identity;
  /** It counts no further. */
  readonly most: number;
}

/**
 * Counts the batches of other people, of the newest that the workspace has, that carry an identity in a field of its type.
 * Wants to run in index order.
 */
export async function countCarriers(sql: Sql, { workspaceId, without, identity, most }: Carriers): Promise<number> {
  const value = JSON.stringify(identity.value)
    .slice(1, -1)
    .replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  const rows = await sql.query<{ readonly count: bigint }>(
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM (
         SELECT mpid, text FROM event_batches WHERE workspace_id = $1
         ORDER BY received_on DESC, id DESC LIMIT ${NEWEST}) AS newest
       WHERE mpid <> ALL ($2) AND text ~* $3 LIMIT $4) AS carrying`,
    [workspaceId, without, `"${identity.type}"\\s*:\\s*("${value}"|${value}[\\s,}])`, most],
  );
  return Number(rows[0]?.count ?? 0n);
}
