import { eq } from 'drizzle-orm';
import { type Clock, isWithin, parseJson, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { type Ceilings, clampLimits } from './ceilings.ts';
import type { SettingsBody, SettingsDocument } from './contract/settings.ts';
import { completeSettings, settingsFromWire, type WorkspaceSettings } from './settings.ts';
import { workspaceSettings } from './tables.ts';

const CACHE_MS = 5_000;
const KEPT = 10_000;

/** The settings of a workspace, complete, as they stand in the store now. */
export async function readSettings(
  sql: Sql,
  workspaceId: WorkspaceId,
  ceilings: Ceilings = {},
): Promise<WorkspaceSettings> {
  return settingsFromWire(await readDocument(sql, workspaceId, ceilings));
}

/** As they stand on the wire. A workspace without a row has the defaults. */
export async function readDocument(
  sql: Sql,
  workspaceId: WorkspaceId,
  ceilings: Ceilings = {},
): Promise<SettingsDocument> {
  const [row] = await sql.orm
    .select({ settings: workspaceSettings.settings })
    .from(workspaceSettings)
    .where(eq(workspaceSettings.workspaceId, workspaceId));
  // only bodies that passed the contract are stored
  return clampLimits(completeSettings(row === undefined ? {} : (parseJson(row.settings) as SettingsBody)), ceilings);
}

export type SettingsReader = (workspaceId: WorkspaceId) => Promise<WorkspaceSettings>;

/** `readSettings` for paths that ask often: what was read is believed for five seconds. */
export function createSettingsReader({
  store,
  clock,
  ceilings,
}: {
  readonly store: Sql;
  readonly clock: Clock;
  readonly ceilings?: Ceilings;
}): SettingsReader {
  const kept = new Map<WorkspaceId, { readonly settings: WorkspaceSettings; readonly atMs: number }>();
  return async (workspaceId) => {
    const hit = kept.get(workspaceId);
    if (hit !== undefined && isWithin(clock, hit.atMs, CACHE_MS)) return hit.settings;
    const atMs = clock.nowMs();
    const settings = await readSettings(store, workspaceId, ceilings);
    if (kept.size >= KEPT) kept.clear();
    kept.set(workspaceId, { settings, atMs });
    return settings;
  };
}
