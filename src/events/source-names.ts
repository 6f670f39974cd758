import type { WorkspaceId } from '../kernel/index.ts';
import type { BatchSource } from './accept/delivery.ts';

/** Ids of a workspace's pipelines by their numbers, including deleted ones while anything of them is stored. */
export type PipelineIds = (workspaceId: WorkspaceId) => Promise<ReadonlyMap<bigint, string>>;

export interface SourceNames {
  readonly pipeline_id: string | null;
  readonly input_key: string | null;
}

const UNKNOWN_SOURCE: SourceNames = { pipeline_id: null, input_key: null };

/** Returns the ids under which the workspace knows the source of a batch. */
export function namesOf(source: BatchSource | undefined, ids: ReadonlyMap<bigint, string>): SourceNames {
  if (source === undefined) return UNKNOWN_SOURCE;
  if (source.kind === 'input') return { pipeline_id: null, input_key: source.key };
  return { pipeline_id: ids.get(source.number) ?? null, input_key: source.feedKey ?? null };
}
