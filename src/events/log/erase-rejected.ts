import type { KeptRecord } from '../../identity/index.ts';
import { parseEveryValue, parseJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { meaningsInCalls } from '../analytics/id-fields.ts';

/** Batches of one page; each text has 128 KB at most. */
const AT_ONCE = 100;

interface RejectedRow {
  readonly id: bigint;
  readonly errors: string;
  readonly text: string | null;
}

/**
 * Returns the next rejected batches of a workspace. `next` is where the following page begins; absent: there are no more.
 * They have no MPID, so a search for a person reads all of them.
 */
export async function readRejected(
  sql: Sql,
  workspaceId: WorkspaceId,
  after?: bigint,
): Promise<{ readonly records: readonly KeptRecord<bigint>[]; readonly next?: bigint }> {
  const page = await sql.query<RejectedRow>(
    `SELECT id, errors, text FROM rejected_batches WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const records = page.map((row) => ({ ref: row.id, read: () => readRow(row), meaningsOf: meaningsInCalls }));
  const last = page.at(-1);
  return { records, ...(last !== undefined && page.length === AT_ONCE && { next: last.id }) };
}

/** Deletes some of the rejected batches and returns how many existed. */
export async function eraseRejected(sql: Sql, workspaceId: WorkspaceId, ids: readonly bigint[]): Promise<number> {
  return await sql.execute('DELETE FROM rejected_batches WHERE workspace_id = $1 AND id = ANY($2)', [workspaceId, ids]);
}

/** Returns the parts of a rejected batch to search. A text that is no JSON, and was rejected for that, is searched as it is. */
const readRow = ({ text, errors }: RejectedRow): unknown => [
  parseJson(errors),
  text === null ? null : parseOrText(text),
];

function parseOrText(text: string): unknown {
  try {
    return parseEveryValue(text);
  } catch {
    return text;
  }
}
