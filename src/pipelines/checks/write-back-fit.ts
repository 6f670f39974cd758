// Checks that the model of a write-back pipeline keeps the query rules (docs/spec/warehouse-sync.md#query-rules).
import { findFeed, isWarehouseModule } from '../../access/index.ts';
import { IDENTITY_COLUMNS } from '../../identity/index.ts';
import type { Issue, WorkspaceId } from '../../kernel/index.ts';
import { type Column, checkWriteBackModel } from '../../warehouse/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { DataModel } from '../data-models/data-model.ts';
import type { PipelineType, SyncMode } from '../pipelines/pipeline.ts';
import type { PipelineContext } from '../pipelines/pipeline-status.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';

/** The facts that decide whether a pipeline writes back (D-103), and by which rules. */
export interface WriteBackCandidate {
  readonly workspaceId: WorkspaceId;
  readonly pipelineType: PipelineType;
  /** Digits of its feed's id. */
  readonly partnerFeedId: string | undefined;
  readonly syncMode: SyncMode;
  readonly connection: Pick<Connection, 'provider'>;
  readonly dataModel: Pick<DataModel, 'id' | 'sqlQuery'>;
}

export function candidateOf({ pipeline, connection, dataModel }: PipelineContext): WriteBackCandidate {
  const { workspaceId, pipelineType, syncMode } = pipeline;
  return { workspaceId, pipelineType, partnerFeedId: pipeline.kept.partnerFeedId, syncMode, connection, dataModel };
}

/**
 * Returns one issue for each broken rule, with paths of the pipeline's body; none where the pipeline writes nothing back.
 * `columns` are the model's as its warehouse describes them. Undefined: the warehouse was not asked, and the text alone decides
 * what it projects.
 */
export async function writeBackMisfits(
  { store, fleet }: Pick<PipelinesDeps, 'store' | 'fleet'>,
  candidate: WriteBackCandidate,
  columns: readonly Column[] | undefined,
): Promise<readonly Issue[]> {
  const { workspaceId, pipelineType, partnerFeedId, connection, dataModel } = candidate;
  const dialect = fleet[connection.provider]?.dialect;
  if (pipelineType !== 'user_attributes' || partnerFeedId === undefined || dialect === undefined) return [];
  const feed = await findFeed(store, workspaceId, BigInt(partnerFeedId));
  if (feed === undefined || !isWarehouseModule(feed.moduleName)) return [];
  const check = await checkWriteBackModel(dataModel.sqlQuery, dialect, IDENTITY_COLUMNS);
  const projectsMpid = columns?.some(({ name }) => name.toLowerCase() === 'mpid') ?? check.projectsMpid === true;
  if (!projectsMpid) return [];
  const complaints = check.outcome === 'refused' ? check.complaints : [];
  return [
    ...complaints.map(({ message }) => ({
      path: 'data_model_id',
      message: `MPIDs cannot be written back with the data model "${dataModel.id}": ${message}`,
    })),
    ...iteratorMisfit(candidate.syncMode),
  ];
}

/**
 * Returns the issue of an iterator. Every field that a write-back model projects is an identity, so none tells when a row
 * changed.
 */
function iteratorMisfit({ iterator }: SyncMode): readonly Issue[] {
  if (iterator === undefined) return [];
  const message =
    'is incremental or has an iterator, but a write-back model selects only identities and MPID; use the type full ' +
    'without iterator_field, and WHERE MPID IS NULL in the model to read only rows without an MPID';
  return [{ path: 'sync_mode', message }];
}
