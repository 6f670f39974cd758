import { createMapping, type UnitMapping } from '../../mapping/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { Execution } from './execution.ts';
import { iteratorOf } from './model-source.ts';

/** Returns the mapping of rows with these columns, which were read now or kept by an earlier run. Throws MODEL_INVALID. */
export function openMapping(
  deps: RunsDeps,
  { claimed, settings, feed }: Pick<Execution, 'claimed' | 'settings' | 'feed'>,
  columns: readonly Column[],
): UnitMapping {
  const { workspaceId, pipelineNumber, snapshot, startedAt } = claimed;
  const { pipeline, transformation } = snapshot;
  return createMapping(deps, {
    columns,
    iterator: iteratorOf(snapshot, columns),
    settings,
    workspaceId,
    runStart: startedAt,
    pipelineNumber,
    feedKey: feed?.key,
    pipeline,
    transformation,
  });
}
