import type { NamesPerson } from '../identity/index.ts';
import { parseEveryValue, parseJson, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { meaningsInCalls } from './analytics/id-fields.ts';

/** Batches that are looked through at once: each text has 128 KB at most. */
const AT_ONCE = 100;

interface RejectedRow {
  readonly id: bigint;
  readonly errors: string;
  readonly text: string | null;
}

export interface RejectedPart {
  readonly workspaceId: WorkspaceId;
  readonly namesPerson: NamesPerson;
  /** The last one of the part before. */
  readonly after?: bigint | undefined;
  /** Only counts. */
  readonly isPreview?: boolean;
}

/**
 * Deletes those of the next rejected batches that name a person; `next`: where the following part begins; absent: there are
 * no more. They have no MPID, so all of a workspace are looked through.
 */
export async function eraseRejected(
  sql: Sql,
  { workspaceId, namesPerson, after, isPreview = false }: RejectedPart,
): Promise<{ readonly erased: number; readonly next?: bigint }> {
  const page = await sql.query<RejectedRow>(
    `SELECT id, errors, text FROM rejected_batches WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const ids = page.filter((row) => names(row, namesPerson)).map(({ id }) => id);
  if (ids.length > 0 && !isPreview) {
    await sql.execute('DELETE FROM rejected_batches WHERE workspace_id = $1 AND id = ANY($2)', [workspaceId, ids]);
  }
  const last = page.at(-1);
  return { erased: ids.length, ...(last !== undefined && page.length === AT_ONCE && { next: last.id }) };
}

/** A text that is no JSON was refused for that, and is looked at as it is. */
function names({ text, errors }: RejectedRow, namesPerson: NamesPerson): boolean {
  return namesPerson(parseJson(errors)) || (text !== null && namesPerson(jsonOr(text), meaningsInCalls));
}

function jsonOr(text: string): unknown {
  try {
    return parseEveryValue(text);
  } catch {
    return text;
  }
}
