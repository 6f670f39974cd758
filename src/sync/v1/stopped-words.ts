import { AppError } from '../../kernel/index.ts';
import { type PipelineContext, stoppedReason } from '../pipeline-status.ts';

/** What a trigger or a retry refuses, with a way out that version 1 has: no state of its resources is called so there. */
export async function inWordsOfStatus<Result>(context: PipelineContext, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'PIPELINE_NOT_IDLE') throw thrown;
    const reason = stoppedReason(context);
    const said = reason === undefined ? thrown.message : thrown.message.replace(reason, () => stoppedInOne(context));
    throw new AppError(thrown.code, said.replace('; PUT a later end.', '; PUT a later schedule_end_time.'));
  }
}

/** As `stoppedReason`. */
function stoppedInOne({ pipeline, connection, dataModel }: PipelineContext): string {
  if (pipeline.state === 'new') {
    return `The pipeline "${pipeline.id}" is a draft; PUT it with is_draft false and is_active true.`;
  }
  if (pipeline.state === 'paused') return `The pipeline "${pipeline.id}" is not active; PUT it with is_active true.`;
  const [what, held] =
    connection.state === 'active' ? (['data model', dataModel] as const) : (['connection', connection] as const);
  return `The ${what} "${held.id}" is ${held.state}, which only version 2 says; PUT it there with state active.`;
}
