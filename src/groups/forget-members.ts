import { ENVIRONMENT_NUMBER, type Environment } from '../identity/index.ts';
import { microsOfMs, type WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { findDefinition } from './definition.ts';
import { lockGroups } from './group-lock.ts';
import { dropEmptyGroups, rewriteAggregates } from './write-aggregates.ts';

/** People that are being erased. */
export interface ForgottenMembers {
  readonly workspaceId: WorkspaceId;
  readonly environment: Environment;
  readonly mpids: readonly bigint[];
  readonly nowMs: number;
}

/**
 * Removes people from their groups at once, not at the next weekly run. Their groups are computed again from the remaining
 * members, as their profiles are now, or deleted with the last member. A run under way forgets these people, too. Call it
 * inside the transaction that erases their profiles, before or after they are deleted; it locks no profile. Returns how many
 * memberships were deleted.
 */
export async function forgetMembers(tx: Transaction, forgotten: ForgottenMembers): Promise<number> {
  const { workspaceId, mpids, nowMs } = forgotten;
  if (mpids.length === 0) return 0;
  // always: a run that begins at this moment must not have read people before they are deleted
  await lockGroups(tx, workspaceId);
  const scope = { workspaceId, environment: ENVIRONMENT_NUMBER[forgotten.environment] };
  await tx.execute('DELETE FROM group_candidates WHERE workspace_id = $1 AND environment = $2 AND mpid = ANY ($3)', [
    workspaceId,
    scope.environment,
    mpids,
  ]);
  const gone = await tx.query<{ readonly key: string }>(
    `DELETE FROM group_members WHERE workspace_id = $1 AND environment = $2 AND mpid = ANY ($3)
     RETURNING group_key AS key`,
    [workspaceId, scope.environment, mpids],
  );
  if (gone.length === 0) return 0;
  const groupKeys = [...new Set(gone.map(({ key }) => key))];
  await dropEmptyGroups(tx, scope, groupKeys);
  const definition = await findDefinition(tx, workspaceId);
  if (definition !== undefined)
    await rewriteAggregates(tx, { ...scope, definition, setAt: microsOfMs(nowMs) }, groupKeys);
  return gone.length;
}
