import { formatMicros } from '../kernel/index.ts';
import type { Connection, DataModel, Pipeline, PipelineContext } from '../sync/index.ts';

/** What a run works on: taken at its first start and kept over its attempts (rulings §7). Secrets stay encrypted. */
export interface RunSnapshot {
  readonly pipeline: Pick<Pipeline, 'id' | 'pipelineType' | 'environment' | 'syncMode' | 'schedule' | 'generation'> & {
    /** Text with microseconds. */
    readonly position: string | null;
  };
  readonly connection: Pick<Connection, 'id' | 'provider' | 'config'>;
  readonly dataModel: Pick<DataModel, 'id' | 'sqlQuery'>;
}

/** JSON text of the snapshot, as it stands in the run's row. */
export function snapshotText({ pipeline, connection, dataModel }: PipelineContext): string {
  const { id, pipelineType, environment, syncMode, schedule, generation } = pipeline;
  const position = pipeline.position === null ? null : formatMicros(pipeline.position);
  const snapshot: RunSnapshot = {
    pipeline: { id, pipelineType, environment, syncMode, schedule, generation, position },
    connection: { id: connection.id, provider: connection.provider, config: connection.config },
    dataModel: { id: dataModel.id, sqlQuery: dataModel.sqlQuery },
  };
  return JSON.stringify(snapshot);
}

export function snapshotFromText(text: string): RunSnapshot {
  return JSON.parse(text) as RunSnapshot;
}
