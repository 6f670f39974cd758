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
    /** Text with microseconds. */
    readonly position: string | null;
    /** Text with microseconds: a lookback reaches no further back. */
    readonly ledgerFrom: string | null;
    /** Columns that make a row the same row when it is read again; absent: all of them. */
    readonly rowKey?: readonly string[];
    /** Goes to each batch as `context.data_plan`. */
    readonly dataPlan?: DataPlan;
    /** The feed that has to be active. */
    readonly partnerFeedId?: string;
  };
  readonly connection: Pick<Connection, 'id' | 'provider' | 'config'>;
  readonly dataModel: Pick<DataModel, 'id' | 'sqlQuery'>;
  /** Of an events pipeline only. */
  readonly transformation: Pick<FieldTransformation, 'id' | 'mappings'> | null;
  /**
   * How people are resolved: two strategies in one run would tell the same person apart. Absent in a run that an earlier
   * Penstock began: there each attempt goes by the settings of the workspace.
   */
  readonly identity?: WorkspaceSettings['identity'];
  /** When each part had been changed last. Absent in a run that an earlier Penstock began. */
  readonly changedMs?: LastChanges;
}

/**
 * Returns whether the part was changed since the run took its snapshot. Two times of one row are held against each other, so
 * clocks of daemons that differ change nothing.
 */
export function isChangedSince(
  { changedMs }: RunSnapshot,
  part: RanOnPart,
  { changes, startedAt }: { readonly changes: LastChanges; readonly startedAt: Micros },
): boolean {
  return changedMs === undefined ? changes[part] > msOfMicros(startedAt) : changes[part] !== changedMs[part];
}

/** Names of what a run works on, besides its pipeline. */
export function usedBy({ connection, dataModel, transformation }: RunSnapshot) {
  return { connectionId: connection.id, dataModelId: dataModel.id, transformationId: transformation?.id ?? null };
}

/** JSON text of the snapshot, as it stands in the run's row. */
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

/** With every digit of a transformation's numbers. */
export function snapshotFromText(text: string): RunSnapshot {
  return parseJson(text) as unknown as RunSnapshot;
}
