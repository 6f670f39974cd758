import type { AllowsOrigin } from '../http/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { createSettingsReader } from './read-settings.ts';

const CACHE_MS = 5_000;
const ORIGINS_KEPT = 1_000;

/** Whether a workspace, or any of them, has the origin among its `allowed_origins`; a change counts within seconds. */
export function createAllowsOrigin(deps: { readonly store: Sql; readonly clock: Clock }): AllowsOrigin {
  const { store, clock } = deps;
  const settingsOf = createSettingsReader(deps);
  const kept = new Map<string, { readonly isAllowed: boolean; readonly untilMs: number }>();
  const isAllowedAnywhere = async (origin: string): Promise<boolean> => {
    const hit = kept.get(origin);
    if (hit !== undefined && clock.nowMs() < hit.untilMs) return hit.isAllowed;
    const untilMs = clock.nowMs() + CACHE_MS;
    const isAllowed = await isSomeones(store, origin);
    if (kept.size >= ORIGINS_KEPT) kept.clear();
    kept.set(origin, { isAllowed, untilMs });
    return isAllowed;
  };
  return async (origin, workspaceId) => {
    if (!URL.canParse(origin)) return false;
    if (workspaceId === undefined) return isAllowedAnywhere(origin);
    return (await settingsOf(workspaceId)).allowedOrigins.includes(origin);
  };
}

async function isSomeones(sql: Sql, origin: string): Promise<boolean> {
  const found = await sql.query(
    `/* across workspaces: a preflight names none */
     SELECT 1 FROM workspace_settings WHERE (settings::jsonb -> 'allowed_origins') ? $1 LIMIT 1`,
    [origin],
  );
  return found.length > 0;
}
