// Messages of runs and faults are for people, and one of a warehouse may quote a value.
import type { NamesPerson } from '../identity/index.ts';
import { parseJson, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

export interface MessagesPart {
  readonly workspaceId: WorkspaceId;
  readonly namesPerson: NamesPerson;
  /** The last run of the part before. */
  readonly after?: bigint | undefined;
  /** Only counts. */
  readonly isPreview?: boolean;
}

const AT_ONCE = 500;

/** Stands for messages that named a person. */
const ERASED = JSON.stringify([{ message: 'The message named a person who was erased since.' }]);

interface RunMessages {
  readonly id: bigint;
  readonly errors: string;
  readonly warnings: string;
}

/**
 * Takes the messages away that name a person: of the next runs that have any and, with the first part, of what is faulted.
 * `next`: where the following part begins; absent: there are no more.
 */
export async function eraseMessages(
  sql: Sql,
  part: MessagesPart,
): Promise<{ readonly erased: number; readonly next?: bigint }> {
  const { workspaceId, namesPerson, after, isPreview = false } = part;
  const page = await sql.query<RunMessages>(
    `SELECT id, errors, warnings FROM pipeline_runs
     WHERE workspace_id = $1 AND id > $2 AND (errors <> '[]' OR warnings <> '[]') ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const named = page.filter(({ errors, warnings }) => namesPerson([parseJson(errors), parseJson(warnings)]));
  if (named.length > 0 && !isPreview) {
    await sql.execute(
      `UPDATE pipeline_runs SET errors = CASE WHEN errors = '[]' THEN errors ELSE $3 END,
         warnings = CASE WHEN warnings = '[]' THEN warnings ELSE $3 END
       WHERE workspace_id = $1 AND id = ANY($2)`,
      [workspaceId, named.map(({ id }) => id), ERASED],
    );
  }
  const faults = after === undefined ? await eraseFaults(sql, part) : 0;
  const last = page.length < AT_ONCE ? undefined : page.at(-1);
  return { erased: named.length + faults, ...(last !== undefined && { next: last.id }) };
}

const FAULTED = ['connections', 'data_models', 'pipelines'] as const;

async function eraseFaults(sql: Sql, part: MessagesPart): Promise<number> {
  let erased = 0;
  for (const table of FAULTED) erased += await eraseFaultsIn(sql, part, table);
  return erased;
}

async function eraseFaultsIn(
  sql: Sql,
  { workspaceId, namesPerson, isPreview = false }: MessagesPart,
  table: (typeof FAULTED)[number],
): Promise<number> {
  const rows = await sql.query<{ readonly fault: string }>(
    `SELECT DISTINCT fault FROM ${table} WHERE workspace_id = $1 AND fault IS NOT NULL`,
    [workspaceId],
  );
  const named = rows.map(({ fault }) => fault).filter((fault) => namesPerson(parseJson(fault)));
  if (named.length === 0 || isPreview) return named.length;
  return await sql.execute(`UPDATE ${table} SET fault = $3 WHERE workspace_id = $1 AND fault = ANY($2)`, [
    ...[workspaceId, named, ERASED],
  ]);
}
