import { AppError } from '../../kernel/index.ts';
import { loadPipelines, type Pipeline } from '../../pipelines/index.ts';
import type { Store } from '../../store/index.ts';
import { theWorkspace } from '../defaults.ts';

/** A pipeline as the command names it. */
export interface Named {
  readonly id: string;
  readonly workspace?: bigint;
}

/** Returns the named pipeline. Throws NOT_FOUND that names the command to list pipelines. */
export async function thePipeline(store: Store, { id, workspace }: Named): Promise<Pipeline> {
  const workspaceId = await theWorkspace(store, workspace);
  const [found] = await loadPipelines(store, { workspaceId, id });
  if (found !== undefined) return found.pipeline;
  const option = workspace === undefined ? '' : ` --workspace ${workspace}`;
  throw new AppError(
    'NOT_FOUND',
    `There is no pipeline "${id}" in this workspace; \`penstock pipeline list${option}\` shows what is.`,
  );
}
