import type { WorkspaceSettings } from '../../access/index.ts';
import { formatMicros, type Micros, msOfMicros, parseJson, stringifyJson } from '../../kernel/index.ts';
import {
  type Connection,
  type DataModel,
  type DataPlan,
  type FieldTransformation,
  type LastChanges,
  lastChanges,
  type Pipeline,
  type PipelineContext,
  type RanOnPart,
} from '../../pipelines/index.ts';

/**
 * The definitions that a run works on: taken at its first start and kept over its attempts (D-089). Secrets stay
 * encrypted.
 */
export interface RunSnapshot {
  readonly pipeline: Pick<Pipeline, 'id' | 'pipelineType' | 'environment' | 'syncMode' | 'schedule' | 'generation'> & {
    /** Position as text with microseconds. */
    readonly position: string | null;
    /** Earliest instant to which a lookback reaches, as text with microseconds. */
    readonly ledgerFrom: string | null;
    /** Columns that identify a row when it is read again. Absent: all columns. */
    readonly rowKey?: readonly string[];
    /** The data plan, which each batch carries as `context.data_plan`. */
    readonly dataPlan?: DataPlan;
    /** Id of the feed that has to be active. */
    readonly partnerFeedId?: string;
  };
  readonly connection: Pick<Connection, 'id' | 'provider' | 'config'>;
  readonly dataModel: Pick<DataModel, 'id' | 'sqlQuery'>;
  /** Transformation of an events pipeline; null for other types. */
  readonly transformation: Pick<FieldTransformation, 'id' | 'mappings'> | null;
  /**
   * Settings of identity resolution. They are fixed for the run, because two strategies in one run would resolve the same
   * person differently. Absent in a run that an earlier Penstock began: there each attempt uses the workspace's settings.
   */
  readonly identity?: WorkspaceSettings['identity'];
  /** Times of the last change of each part. Absent in a run that an earlier Penstock began. */
  readonly changedMs?: LastChanges;
}

/**
 * Returns whether the part was changed since the run took its snapshot. Compares two times of one row, so differing clocks of
 * daemons do not matter.
 */
export function isChangedSince(
  { changedMs }: RunSnapshot,
  part: RanOnPart,
  { changes, startedAt }: { readonly changes: LastChanges; readonly startedAt: Micros },
): boolean {
  return changedMs === undefined ? changes[part] > msOfMicros(startedAt) : changes[part] !== changedMs[part];
}

/** Returns the names of the parts that a run works on, besides its pipeline. */
export function usedBy({ connection, dataModel, transformation }: RunSnapshot) {
  return { connectionId: connection.id, dataModelId: dataModel.id, transformationId: transformation?.id ?? null };
}

/** Returns the snapshot as JSON text for the run's row. */
export function snapshotText(
  { pipeline, connection, dataModel, transformation }: PipelineContext,
  { identity }: WorkspaceSettings,
): string {
  const { id, pipelineType, environment, syncMode, schedule, generation } = pipeline;
  const { rowKey, dataPlan, partnerFeedId } = pipeline.kept;
  const position = pipeline.position === null ? null : formatMicros(pipeline.position);
  const ledgerFrom = pipeline.ledgerFrom === null ? null : formatMicros(pipeline.ledgerFrom);
  const snapshot: RunSnapshot = {
    pipeline: {
      id,
      pipelineType,
      environment,
      syncMode,
      schedule,
      generation,
      position,
      ledgerFrom,
      ...(rowKey !== undefined && { rowKey }),
      ...(dataPlan !== undefined && { dataPlan }),
      ...(partnerFeedId !== undefined && { partnerFeedId }),
    },
    connection: { id: connection.id, provider: connection.provider, config: connection.config },
    dataModel: { id: dataModel.id, sqlQuery: dataModel.sqlQuery },
    transformation: transformation === null ? null : { id: transformation.id, mappings: transformation.mappings },
    identity,
    changedMs: lastChanges({ pipeline, connection, dataModel, transformation }),
  };
  return stringifyJson(snapshot);
}

/** Returns the snapshot with every digit of a transformation's numbers. */
export function snapshotFromText(text: string): RunSnapshot {
  return parseJson(text) as unknown as RunSnapshot;
}
