import { eq, sql } from 'drizzle-orm';
import type { Caller } from '../../http/index.ts';
import { isObject, refuse, stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import type { SettingsBody, SettingsDocument } from '../contract/settings.ts';
import { workspaceSettings } from '../tables.ts';
import { type Ceilings, ceilingIssues, clampLimits } from './ceilings.ts';
import { checkSettings, completeSettings } from './settings.ts';

/**
 * Replaces the settings and returns them complete; a setting that the body leaves out gets its default.
 * Writes the differences to the audit log, before and after; a PUT that changes nothing leaves no entry.
 */
export async function replaceSettings(
  { store, clock, ceilings = {} }: Pick<AccessDeps, 'store' | 'clock'> & { readonly ceilings?: Ceilings },
  { workspaceId, actor }: Caller,
  body: SettingsBody,
): Promise<SettingsDocument> {
  const issues = ceilingIssues(body, ceilings);
  if (issues.length > 0) throw refuse(issues);
  const after = clampLimits(completeSettings(body), ceilings);
  checkSettings(after);
  await store.transaction(async (tx) => {
    const before = clampLimits(completeSettings(await lockSettings(tx, workspaceId)), ceilings);
    await tx.orm
      .update(workspaceSettings)
      .set({ settings: body, version: sql`${workspaceSettings.version} + 1` })
      .where(eq(workspaceSettings.workspaceId, workspaceId));
    const detail = { before: differing(before, after), after: differing(after, before) };
    if (Object.keys(detail.after).length === 0) return;
    const occurredOn = timeOf(clock);
    await recordChange(tx, {
      workspaceId,
      occurredOn,
      actor,
      action: 'settings.changed',
      resource: 'settings',
      detail,
    });
  });
  return after;
}

/** Returns the current settings and locks their row, so that the next change waits and sees this one. */
async function lockSettings(tx: Transaction, workspaceId: WorkspaceId): Promise<SettingsBody> {
  await tx.orm.insert(workspaceSettings).values({ workspaceId, settings: {}, version: 0 }).onConflictDoNothing();
  const [row] = await tx.orm
    .select({ settings: workspaceSettings.settings })
    .from(workspaceSettings)
    .where(eq(workspaceSettings.workspaceId, workspaceId))
    .for('update');
  return row?.settings ?? {};
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the values of `one` that differ in `other`, by their path. */
function differing(one: Fields, other: Fields, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(one).flatMap(([name, value]: [string, unknown]) => {
      const path = `${prefix}${name}`;
      const others = other[name];
      if (stringifyJson(value) === stringifyJson(others)) return [];
      if (isObject(value) && isObject(others)) return Object.entries(differing(value, others, `${path}.`));
      return [[path, value]];
    }),
  );
}
