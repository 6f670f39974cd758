import { eq } from 'drizzle-orm';
import { type Clock, isWithin, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { SettingsDocument } from '../contract/settings.ts';
import { workspaceSettings } from '../tables.ts';
import { type Ceilings, clampLimits } from './ceilings.ts';
import { completeSettings, settingsFromWire, type WorkspaceSettings } from './settings.ts';

const CACHE_MS = 5_000;
const KEPT = 10_000;

/** Returns the complete settings of a workspace as stored now, with limits at most the operator's `ceilings`. */
export async function readSettings(sql: Sql, workspaceId: WorkspaceId, ceilings: Ceilings): Promise<WorkspaceSettings> {
  return settingsFromWire(await readDocument(sql, workspaceId, ceilings));
}

/** Returns the settings in the form of the API. A workspace without a row has the defaults. */
export async function readDocument(sql: Sql, workspaceId: WorkspaceId, ceilings: Ceilings): Promise<SettingsDocument> {
  const [row] = await sql.orm
    .select({ settings: workspaceSettings.settings })
    .from(workspaceSettings)
    .where(eq(workspaceSettings.workspaceId, workspaceId));
  return clampLimits(completeSettings(row?.settings ?? {}), ceilings);
}

export type SettingsReader = (workspaceId: WorkspaceId) => Promise<WorkspaceSettings>;

interface CachedSettings extends SettingsReader {
  /** Drops the cached settings of a workspace after a change in this process, so that the next call reads them anew. */
  readonly forget: (workspaceId: WorkspaceId) => void;
}

/** Returns a cached `readSettings` for paths that ask often. Settings stay cached for five seconds, or until `forget`. */
export function createSettingsReader({
  store,
  clock,
  ceilings = {},
}: {
  readonly store: Sql;
  readonly clock: Clock;
  readonly ceilings?: Ceilings;
}): CachedSettings {
  const kept = new Map<WorkspaceId, { readonly settings: WorkspaceSettings; readonly atMs: number }>();
  let changes = 0;
  const read = async (workspaceId: WorkspaceId) => {
    const hit = kept.get(workspaceId);
    if (hit !== undefined && isWithin(clock, hit.atMs, CACHE_MS)) return hit.settings;
    const [atMs, before] = [clock.nowMs(), changes];
    const settings = await readSettings(store, workspaceId, ceilings);
    if (kept.size >= KEPT) kept.clear();
    // settings that were changed during the read may be the old ones
    if (changes === before) kept.set(workspaceId, { settings, atMs });
    return settings;
  };
  const forget = (workspaceId: WorkspaceId) => {
    changes++;
    kept.delete(workspaceId);
  };
  return Object.assign(read, { forget });
}
