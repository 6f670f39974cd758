import { type Json, parseJson, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

const AT_ONCE = 1_000;

/** Stands in an entry for what named a person: who did what and when stays on record, about whom does not. */
export const ERASED_RESOURCE = 'profile/erased';

interface ChangeRow {
  readonly id: bigint;
  readonly resource: string;
  readonly detail: string;
}

export interface ChangesPart {
  readonly workspaceId: WorkspaceId;
  readonly mpids: readonly bigint[];
  /** Whether a value names the person. */
  readonly namesPerson: (value: Json) => boolean;
  /** The last one of the part before. */
  readonly after?: bigint | undefined;
  /** Only counts. */
  readonly isPreview?: boolean;
}

/**
 * Takes a person's name out of the next entries of the audit log; `next`: where the following part begins; absent: there are
 * no more. Entries stay: a log from which the erased could be told by its gaps would be none.
 */
export async function eraseFromChanges(
  sql: Sql,
  { workspaceId, mpids, namesPerson, after, isPreview = false }: ChangesPart,
): Promise<{ readonly erased: number; readonly next?: bigint }> {
  const page = await sql.query<ChangeRow>(
    `SELECT id, resource, detail FROM audit_log WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const profiles = new Set(mpids.map((mpid) => `profile/${mpid}`));
  const isNamed = ({ resource, detail }: ChangeRow) => profiles.has(resource) || namesPerson(parseJson(detail));
  const ids = page.filter(isNamed).map(({ id }) => id);
  if (ids.length > 0 && !isPreview) {
    await sql.execute(`UPDATE audit_log SET resource = $3, detail = '{}' WHERE workspace_id = $1 AND id = ANY($2)`, [
      ...[workspaceId, ids, ERASED_RESOURCE],
    ]);
  }
  const last = page.at(-1);
  return { erased: ids.length, ...(last !== undefined && page.length === AT_ONCE && { next: last.id }) };
}
