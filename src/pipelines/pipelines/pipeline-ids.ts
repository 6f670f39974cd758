import { eq } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { pipelines } from '../tables.ts';

/** Returns the ids of the workspace's pipelines by their numbers. Includes deleted ones as long as a run of them is kept. */
export async function pipelineIds(sql: Sql, workspaceId: WorkspaceId): Promise<ReadonlyMap<bigint, string>> {
  const rows = await sql.orm
    .select({ number: pipelines.number, id: pipelines.id })
    .from(pipelines)
    .where(eq(pipelines.workspaceId, workspaceId));
  return new Map(rows.map(({ number, id }) => [number, id]));
}
