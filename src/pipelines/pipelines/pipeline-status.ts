// Status of a pipeline, from its own row and those it uses. Pure.
import { AppError, say, type Worded } from '../../kernel/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { DataModel } from '../data-models/data-model.ts';
import type { FieldTransformation } from '../transformations/field-transformation.ts';
import type { Pipeline } from './pipeline.ts';

/** A pipeline with the parts that it runs on. */
export interface PipelineContext {
  readonly pipeline: Pipeline;
  readonly connection: Connection;
  readonly dataModel: DataModel;
  /** Transformation of an events pipeline; null for other types. */
  readonly transformation: FieldTransformation | null;
}

export type PipelineStatus = 'idle' | 'running' | 'faulted' | 'stopped';

/**
 * Returns the status of a pipeline (D-091). A part that is not active stops it. A live run shows before a fault, because it may
 * clear the fault.
 */
export function pipelineStatus(context: PipelineContext, hasLiveRun: boolean): PipelineStatus {
  if (stoppedBy(context) !== undefined) return 'stopped';
  if (hasLiveRun) return 'running';
  return pipelineErrors(context).length > 0 ? 'faulted' : 'idle';
}

/** The part that stops a pipeline because its state is not `active`. */
export interface Stopped {
  readonly part: 'pipeline' | 'connection' | 'data model';
  readonly id: string;
  readonly state: string;
}

/** Returns the part that stops the pipeline. Returns undefined where none does. */
export function stoppedBy({ pipeline, connection, dataModel }: PipelineContext): Stopped | undefined {
  if (pipeline.state !== 'active') return { part: 'pipeline', id: pipeline.id, state: pipeline.state };
  if (connection.state !== 'active') return { part: 'connection', id: connection.id, state: connection.state };
  if (dataModel.state !== 'active') return { part: 'data model', id: dataModel.id, state: dataModel.state };
  return undefined;
}

/**
 * Returns the refusal of a trigger, a requeue or a retry, with `Stopped` and the pipeline's id as parameters. Returns undefined
 * where nothing stops the pipeline.
 */
export function stoppedError(context: PipelineContext): AppError | undefined {
  const stopped = stoppedBy(context);
  if (stopped === undefined) return undefined;
  const { part, id, state } = stopped;
  const reason = `The ${part} "${id}" is ${state}; PUT it with state active.`;
  const message = part === 'pipeline' ? reason : `The pipeline "${context.pipeline.id}" is stopped. ${reason}`;
  return new AppError('PIPELINE_NOT_IDLE', message, { parameters: { ...stopped, pipeline: context.pipeline.id } });
}

/** Returns the faults of pipeline, connection and model. While one of them is faulted, no data is synchronized. */
export function pipelineErrors({ pipeline, connection, dataModel }: PipelineContext): readonly Worded[] {
  const of = (what: string, faults: readonly Worded[] | null) =>
    (faults ?? []).map((fault) => say`${what} is faulted: ${fault}`);
  return [
    ...(pipeline.fault ?? []),
    ...of(`The connection "${connection.id}"`, connection.fault),
    ...of(`The data model "${dataModel.id}"`, dataModel.fault),
  ];
}
