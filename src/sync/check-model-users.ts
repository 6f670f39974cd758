import { type Issue, refuse, type WorkspaceId } from '../kernel/index.ts';
import { describeModel } from './describe-model.ts';
import { loadPipelines } from './load-pipeline.ts';
import { misfits } from './pipeline-fit.ts';
import type { PipelineContext } from './pipeline-status.ts';
import type { SyncDeps } from './sync-deps.ts';

interface NewText {
  readonly workspaceId: WorkspaceId;
  readonly dataModelId: string;
  readonly sqlQuery: string;
}

/**
 * A PUT of a model may not break the pipelines that use it: each warehouse describes the new text once. A warehouse that
 * cannot be asked now refuses nothing, because it is asked again before each run. Throws VALIDATION_FAILED.
 */
export async function checkModelUsers(deps: SyncDeps, { workspaceId, dataModelId, sqlQuery }: NewText): Promise<void> {
  const users = await loadPipelines(deps.store, { workspaceId, dataModelId });
  const byConnection = Map.groupBy(users, ({ connection }) => connection.id);
  const found = await Promise.all([...byConnection.values()].map((group) => complaints(deps, group, sqlQuery)));
  const issues = found.flat();
  if (issues.length > 0) throw refuse(issues);
}

/** Of the pipelines of one connection. */
async function complaints(deps: SyncDeps, group: readonly PipelineContext[], sqlQuery: string): Promise<Issue[]> {
  const [first] = group;
  if (first === undefined || first.connection.fault !== null) return [];
  const described = await describeModel(deps, first.connection, sqlQuery);
  const complain = ({ pipeline }: PipelineContext, message: string): Issue => ({
    path: 'config.sql_query',
    message: `does not suit the pipeline "${pipeline.id}", which uses it: ${message}`,
  });
  if (described.outcome === 'unavailable') return [];
  if (described.outcome === 'invalid') return [complain(first, described.error.message)];
  return group.flatMap((context) => {
    const { syncMode, kept } = context.pipeline;
    const issues = misfits(described.columns, { syncMode, rowKey: kept.rowKey ?? [] });
    return issues.map(({ path, message }) => complain(context, `${path}: ${message}`));
  });
}
