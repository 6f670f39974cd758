import type { NamesPerson } from '../identity/index.ts';
import { parseEveryValue, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { meaningsInCalls } from './analytics/id-fields.ts';
import { deleteBatches } from './batch-log.ts';
import { type LogPosition, NOBODY, readBatchesOf } from './read-log.ts';

export interface OfNobodyPart {
  readonly workspaceId: WorkspaceId;
  readonly namesPerson: NamesPerson;
  /** The last one of the part before. */
  readonly after?: LogPosition | undefined;
  /** Only counts. */
  readonly isPreview?: boolean;
}

/**
 * Deletes those of the next batches without an MPID that name a person all the same, in an event or an attribute, the newest
 * first; `next`: where the following part begins; absent: there are no more.
 */
export async function eraseOfNobody(
  sql: Sql,
  { workspaceId, namesPerson, after, isPreview = false }: OfNobodyPart,
): Promise<{ readonly erased: number; readonly next?: LogPosition }> {
  const scope = { workspaceId, mpid: NOBODY };
  const page = await readBatchesOf(sql, scope, after);
  const named = page.filter(({ text }) => namesPerson(parseEveryValue(text), meaningsInCalls));
  if (named.length > 0 && !isPreview) await deleteBatches(sql, scope, named);
  const last = page.at(-1);
  return { erased: named.length, ...(last !== undefined && { next: { receivedOn: last.receivedOn, id: last.id } }) };
}
