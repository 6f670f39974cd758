// What a save of version 1 is made of beside its body: while one of it changes, the save is made anew. What the body says itself is
// not among it, so that two who say it do not wait for each other.
import type { Connection, DataModel, PipelineContext } from '../pipelines/index.ts';
import { warehouseOf } from './warehouses.ts';

/** State, and what of the configuration only version 2 can say. */
export function keptOfConnection({ provider, state, config }: Connection): unknown {
  const own = warehouseOf({ provider })?.fields ?? {};
  return { provider, state, config: Object.entries(config).filter(([field]) => own[field] === undefined) };
}

export function keptOfModel({ state }: DataModel): unknown {
  return state;
}

/** Of what a new pipeline runs on: whose types there are, and the load timestamp that it follows. */
export function keptOfJoined({ connection, dataModel }: Pick<PipelineContext, 'connection' | 'dataModel'>): unknown {
  return { provider: connection.provider, loadTimestamp: dataModel.loadTimestamp };
}

/** All that somebody saved, for a PUT may leave most of it out; what runs and the scheduler write is none of it. */
export function keptOfPipeline({
  pipeline,
  ...joined
}: Pick<PipelineContext, 'pipeline' | 'connection' | 'dataModel'>) {
  const { number, pipelineType, connectionId, dataModelId, fieldTransformationId } = pipeline;
  const { state, environment, syncMode, schedule, kept } = pipeline;
  return {
    number,
    pipelineType,
    connectionId,
    dataModelId,
    fieldTransformationId,
    state,
    environment,
    syncMode,
    schedule,
    kept,
    joined: keptOfJoined(joined),
  };
}
