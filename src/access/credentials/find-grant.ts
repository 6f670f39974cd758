import { type Clock, isWithin, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Role } from './platform-credential.ts';

/** Rights of a credential in one workspace, now. */
export interface Grant {
  readonly role: Role;
  readonly warehouseSync: boolean;
}

export type FindGrant = (clientId: string, workspaceId: WorkspaceId) => Promise<Grant | undefined>;

const GRANT_CACHE_MS = 5_000;
const GRANTS_KEPT = 10_000;

/** Returns undefined where the workspace does not exist, is another account's, or is not among the credential's. */
async function readGrant(sql: Sql, clientId: string, workspaceId: WorkspaceId): Promise<Grant | undefined> {
  // a revoked credential is found, too: it gets no new token, but its tokens are valid until they expire (D-020)
  const [grant] = await sql.query<Grant>(
    `SELECT c.role, a.warehouse_sync_provisioned AS "warehouseSync"
       FROM platform_credentials c
       JOIN accounts a ON a.id = c.account_id
       JOIN workspaces w ON w.account_id = c.account_id
      WHERE c.client_id = $1 AND w.id = $2 AND (c.workspace_ids IS NULL OR w.id = ANY (c.workspace_ids))`,
    [clientId, workspaceId],
  );
  return grant;
}

/**
 * Returns a lookup of grants, cached for five seconds, so that narrowed rights apply to issued tokens, too.
 * A miss is not cached: a new workspace is found at once.
 */
export function createFindGrant({ store, clock }: { readonly store: Sql; readonly clock: Clock }): FindGrant {
  const kept = new Map<string, { readonly grant: Grant; readonly atMs: number }>();
  return async (clientId, workspaceId) => {
    const key = `${clientId}/${workspaceId}`;
    const hit = kept.get(key);
    if (hit !== undefined && isWithin(clock, hit.atMs, GRANT_CACHE_MS)) return hit.grant;
    const atMs = clock.nowMs();
    const grant = await readGrant(store, clientId, workspaceId);
    if (kept.size >= GRANTS_KEPT) kept.clear();
    if (grant === undefined) kept.delete(key);
    else kept.set(key, { grant, atMs });
    return grant;
  };
}
