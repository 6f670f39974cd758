import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError } from '../../kernel/index.ts';
import { loadPipelines } from '../pipelines/load-pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { connections } from '../tables.ts';
import { loadConnection } from './load-connection.ts';

/** Throws NOT_FOUND, and IN_USE while a pipeline runs over it. */
export async function deleteConnection(deps: PipelinesDeps, { workspaceId, actor }: Caller, id: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    await loadConnection(tx, { workspaceId, id }, 'update');
    const users = await loadPipelines(tx, { workspaceId, connectionId: id });
    if (users.length > 0) throw inUseError('connection', id, users);
    await tx.orm.delete(connections).where(and(eq(connections.workspaceId, workspaceId), eq(connections.id, id)));
    await recordChange(tx, {
      workspaceId,
      occurredOn: new Date(deps.clock.nowMs()),
      actor,
      action: 'connection.deleted',
      resource: `connection/${id}`,
      detail: {},
    });
  });
}

export function inUseError(what: string, id: string, users: Awaited<ReturnType<typeof loadPipelines>>): AppError {
  const names = users.slice(0, 5).map(({ pipeline }) => `"${pipeline.id}"`);
  const more = users.length > names.length ? ` and ${users.length - names.length} more` : '';
  return new AppError(
    'IN_USE',
    `The ${what} "${id}" is used by the pipelines ${names.join(', ')}${more}; delete them, or change them to use another ${what}.`,
  );
}
