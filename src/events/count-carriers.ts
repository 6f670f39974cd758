import type { Identity } from '../identity/index.ts';
import type { WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

/** Newest batches that are searched for one identity, which takes some hundred milliseconds. */
const NEWEST = 100_000;

interface Carriers {
  readonly workspaceId: WorkspaceId;
  /** MPIDs whose batches do not count. */
  readonly without: readonly bigint[];
  readonly identity: Identity;
  /** Number at which counting stops. */
  readonly most: number;
}

/**
 * Counts the batches of other people that carry an identity in a field of its type, among the newest of the workspace.
 * Run it in index order (`inIndexOrder`).
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
