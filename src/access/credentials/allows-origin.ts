import type { AllowsOrigin } from '../../http/index.ts';
import { type Clock, isWithin } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { createSettingsReader } from '../settings/read-settings.ts';

const CACHE_MS = 5_000;

/**
 * Returns a check whether a workspace, or any workspace, lists the origin in `allowed_origins`.
 * A change takes effect within seconds.
 */
export function createAllowsOrigin(deps: { readonly store: Sql; readonly clock: Clock }): AllowsOrigin {
  const settingsOf = createSettingsReader(deps);
  const allOrigins = createOriginsReader(deps);
  return async (origin, workspaceId) => {
    if (!URL.canParse(origin)) return false;
    if (workspaceId === undefined) return (await allOrigins()).has(origin);
    return (await settingsOf(workspaceId)).allowedOrigins.includes(origin);
  };
}

/**
 * Returns a reader of all workspaces' origins, cached for five seconds; concurrent requests share one lookup.
 * Preflights need no credentials, so however many origins they name, they must cost no more than that.
 */
function createOriginsReader({ store, clock }: { readonly store: Sql; readonly clock: Clock }) {
  let kept: { readonly origins: ReadonlySet<string>; readonly atMs: number } | undefined;
  let reading: Promise<ReadonlySet<string>> | undefined;
  const read = async (): Promise<ReadonlySet<string>> => {
    const atMs = clock.nowMs();
    const origins = await readOrigins(store);
    kept = { origins, atMs };
    return origins;
  };
  return async (): Promise<ReadonlySet<string>> => {
    if (kept !== undefined && isWithin(clock, kept.atMs, CACHE_MS)) return kept.origins;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function readOrigins(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ readonly origin: string }>(
    `/* across workspaces: a preflight names none */
     SELECT DISTINCT jsonb_array_elements_text(settings::jsonb -> 'allowed_origins') AS origin FROM workspace_settings`,
  );
  return new Set(rows.map(({ origin }) => origin));
}
