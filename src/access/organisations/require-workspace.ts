import { eq } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { workspaces } from '../tables.ts';

/** Throws NOT_FOUND where there is no such workspace. */
export async function requireWorkspace(sql: Sql, id: WorkspaceId): Promise<void> {
  const found = await sql.orm.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id));
  if (found.length === 0) throw new AppError('NOT_FOUND', `There is no workspace ${id}.`);
}
