// Erases people from the messages of runs and faults, because the message of a warehouse may quote a value.
import type { KeptRecord } from '../identity/index.ts';
import { parseJson, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

const AT_ONCE = 500;

/** Stands for messages that named a person. */
const ERASED = JSON.stringify([{ message: 'The message contained a person who was erased later.' }]);

interface RunMessages {
  readonly id: bigint;
  readonly errors: string;
  readonly warnings: string;
}

/** Returns the messages of the next runs that have any. `next` is the start of the following page; absent on the last one. */
export async function readMessages(
  sql: Sql,
  workspaceId: WorkspaceId,
  after?: bigint,
): Promise<{ readonly records: readonly KeptRecord<bigint>[]; readonly next?: bigint }> {
  const page = await sql.query<RunMessages>(
    `SELECT id, errors, warnings FROM pipeline_runs
     WHERE workspace_id = $1 AND id > $2 AND (errors <> '[]' OR warnings <> '[]') ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const records = page.map(({ id, errors, warnings }) => ({
    ref: id,
    read: () => [parseJson(errors), parseJson(warnings)],
  }));
  const last = page.length < AT_ONCE ? undefined : page.at(-1);
  return { records, ...(last !== undefined && { next: last.id }) };
}

/** Replaces the messages of these runs. Returns the number of runs. */
export async function eraseMessages(sql: Sql, workspaceId: WorkspaceId, runIds: readonly bigint[]): Promise<number> {
  return await sql.execute(
    `UPDATE pipeline_runs SET errors = CASE WHEN errors = '[]' THEN errors ELSE $3 END,
       warnings = CASE WHEN warnings = '[]' THEN warnings ELSE $3 END
     WHERE workspace_id = $1 AND id = ANY($2)`,
    [workspaceId, runIds, ERASED],
  );
}

const FAULTED = ['connections', 'data_models', 'pipelines'] as const;

/** A message under which connections, data models or pipelines are faulted. */
export interface Fault {
  readonly table: (typeof FAULTED)[number];
  readonly text: string;
}

/** Returns all faults of a workspace: there is at most one for each connection, data model and pipeline. */
export async function readFaults(
  sql: Sql,
  workspaceId: WorkspaceId,
): Promise<{ readonly records: readonly KeptRecord<Fault>[] }> {
  const faults: Fault[] = [];
  for (const table of FAULTED) {
    const rows = await sql.query<{ readonly text: string }>(
      `SELECT DISTINCT fault AS text FROM ${table} WHERE workspace_id = $1 AND fault IS NOT NULL`,
      [workspaceId],
    );
    faults.push(...rows.map(({ text }) => ({ table, text })));
  }
  return { records: faults.map((fault) => ({ ref: fault, read: () => parseJson(fault.text) })) };
}

/** Replaces these messages. What is faulted stays faulted. Returns the number of changed rows. */
export async function eraseFaults(sql: Sql, workspaceId: WorkspaceId, faults: readonly Fault[]): Promise<number> {
  let erased = 0;
  for (const [table, ofIt] of Map.groupBy(faults, (fault) => fault.table)) {
    const texts = ofIt.map(({ text }) => text);
    erased += await sql.execute(`UPDATE ${table} SET fault = $3 WHERE workspace_id = $1 AND fault = ANY($2)`, [
      workspaceId,
      texts,
      ERASED,
    ]);
  }
  return erased;
}
