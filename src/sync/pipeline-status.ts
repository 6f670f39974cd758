// What a pipeline shows, from its own row and those it uses. Pure.
import type { Connection } from './connection.ts';
import type { DataModel } from './data-model.ts';
import type { FieldTransformation } from './field-transformation.ts';
import type { Notice, Pipeline } from './pipeline.ts';

/** A pipeline with what it runs on. */
export interface PipelineContext {
  readonly pipeline: Pipeline;
  readonly connection: Connection;
  readonly dataModel: DataModel;
  /** Of an events pipeline only. */
  readonly transformation: FieldTransformation | null;
}

export type PipelineStatus = 'idle' | 'running' | 'faulted' | 'stopped';

/** 002, States; rulings §7: what is not active stops it, a live run shows before a fault that it may clear. */
export function pipelineStatus(context: PipelineContext, hasLiveRun: boolean): PipelineStatus {
  if (stoppedReason(context) !== undefined) return 'stopped';
  if (hasLiveRun) return 'running';
  return pipelineErrors(context).length > 0 ? 'faulted' : 'idle';
}

/** Why the pipeline is stopped and what to do about it; undefined when it is not. */
export function stoppedReason({ pipeline, connection, dataModel }: PipelineContext): string | undefined {
  if (pipeline.state !== 'active') {
    return `The pipeline "${pipeline.id}" is ${pipeline.state}; PUT it with state active.`;
  }
  if (connection.state !== 'active') {
    return `The connection "${connection.id}" is ${connection.state}; PUT it with state active.`;
  }
  if (dataModel.state !== 'active') {
    return `The data model "${dataModel.id}" is ${dataModel.state}; PUT it with state active.`;
  }
  return undefined;
}

/** The refusal of a trigger or a retry; undefined when the pipeline is not stopped. */
export function stoppedMessage(context: PipelineContext): string | undefined {
  const reason = stoppedReason(context);
  if (reason === undefined || context.pipeline.state !== 'active') return reason;
  return `The pipeline "${context.pipeline.id}" is stopped. ${reason}`;
}

/** While one of the three is faulted no data synchronizes (002, States). */
export function pipelineErrors({ pipeline, connection, dataModel }: PipelineContext): readonly Notice[] {
  const of = (what: string, faults: readonly Notice[] | null) =>
    (faults ?? []).map(({ message }) => ({ message: `${what} is faulted: ${message}` }));
  return [
    ...(pipeline.fault ?? []),
    ...of(`The connection "${connection.id}"`, connection.fault),
    ...of(`The data model "${dataModel.id}"`, dataModel.fault),
  ];
}
