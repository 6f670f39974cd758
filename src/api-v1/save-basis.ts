// The basis of a save: stored values from which a save of version 1 is built, beside its body. When one of them changes, the
// save is built anew. Values that the body itself sets are left out, so that two saves of the same value do not conflict.
import { AppError } from '../kernel/index.ts';
import type { Connection, DataModel, PipelineContext } from '../pipelines/index.ts';
import { warehouseOf } from './warehouses.ts';

/** Returns the state, and the part of the configuration that only version 2 can express. */
export function connectionBasis({ provider, state, config }: Connection): unknown {
  const own = warehouseOf({ provider })?.fields ?? {};
  return { provider, state, config: Object.entries(config).filter(([field]) => own[field] === undefined) };
}

export function modelBasis({ state }: DataModel): unknown {
  return state;
}

/**
 * Returns the stored values that a new pipeline depends on: the provider, which decides the types, and the load timestamp that
 * it follows.
 */
export function joinedBasis({ connection, dataModel }: Pick<PipelineContext, 'connection' | 'dataModel'>): unknown {
  return { provider: connection.provider, loadTimestamp: dataModel.loadTimestamp };
}

/**
 * Returns everything that a caller saved, because a PUT may leave most of it out. Values that runs and the scheduler write are
 * left out.
 */
export function pipelineBasis({ pipeline, ...joined }: Pick<PipelineContext, 'pipeline' | 'connection' | 'dataModel'>) {
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
    joined: joinedBasis(joined),
  };
}

const TRIES = 3;

/**
 * Repeats `work` after STORE_CONFLICT, three tries in all. A PUT is built from stored values, and is built anew where they
 * changed meanwhile.
 */
export async function repeatOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES; ; left--) {
    try {
      return await work();
    } catch (thrown) {
      if (left === 1 || !(thrown instanceof AppError) || thrown.code !== 'STORE_CONFLICT') throw thrown;
    }
  }
}
