import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { findDataModel } from '../data-models/load-data-model.ts';
import { loadPipelines, lockPipelines } from '../pipelines/load-pipeline.ts';
import { findFieldTransformation } from '../transformations/load-field-transformation.ts';
import { findConnection } from './load-connection.ts';

/** The parts that a run worked on, by the names of its snapshot. */
export interface RanOn {
  readonly workspaceId: WorkspaceId;
  readonly number: bigint;
  readonly connectionId: string;
  readonly dataModelId: string;
  readonly transformationId: string | null;
}

export type RanOnPart = 'connection' | 'dataModel' | 'transformation' | 'pipeline';

/** Time of the last change of each part, in ms since 1970. A deleted part counts as changed after everything. */
export type LastChanges = Readonly<Record<RanOnPart, number>>;

const GONE_MS = Number.POSITIVE_INFINITY;

interface Changed {
  readonly lastModifiedOn: Date | null;
}

/**
 * Locks the parts that a run worked on, to the end of the transaction. Returns the time of each part's last change.
 * The order is that of every PUT: connection, model, transformation, pipeline. The run itself is locked after them.
 */
export async function lockRanOn(tx: Transaction, ranOn: RanOn): Promise<LastChanges> {
  const { workspaceId, number, connectionId, dataModelId, transformationId } = ranOn;
  const connection = await findConnection(tx, { workspaceId, id: connectionId }, 'update');
  const dataModel = await findDataModel(tx, { workspaceId, id: dataModelId }, 'update');
  const transformation =
    transformationId === null
      ? null
      : await findFieldTransformation(tx, { workspaceId, id: transformationId }, 'share');
  await lockPipelines(tx, { workspaceId, number });
  const [context] = await loadPipelines(tx, { workspaceId, number });
  return lastChanges({ connection, dataModel, transformation, pipeline: context?.pipeline });
}

/** Returns the time of each part's last change. A part that a pipeline does not have never changes. */
export function lastChanges(parts: Readonly<Record<RanOnPart, Changed | null | undefined>>): LastChanges {
  return {
    connection: changedMs(parts.connection),
    dataModel: changedMs(parts.dataModel),
    transformation: changedMs(parts.transformation),
    pipeline: changedMs(parts.pipeline),
  };
}

const changedMs = (part: Changed | null | undefined) =>
  part === undefined ? GONE_MS : (part?.lastModifiedOn?.getTime() ?? 0);
