import { findLatestRun, loadPipeline, type Pipeline, type Run } from '../../sync/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { asOperator, type Operator } from '../operator.ts';
import type { Output } from '../output.ts';
import { progressText } from './trigger.ts';

export interface WatchOptions {
  readonly id: string;
  readonly workspace?: bigint;
  readonly untilIdle?: true;
}

const POLL_MS = 500;
/** A run that is due is made within a second; so long `--until-idle` waits for one. */
const QUIET_MS = 3000;

/** Writes one line for each run that ended, and progress of the one that is going. */
export async function watchPipeline(context: CommandContext, options: WatchOptions): Promise<void> {
  const output = context.output();
  const watch = async (operator: Operator) => {
    const workspaceId = await theWorkspace(operator.store, options.workspace);
    const { pipeline } = await loadPipeline(operator.store, { workspaceId, id: options.id });
    await follow(operator, pipeline, { output, untilIdle: options.untilIdle === true });
  };
  await asOperator(context, watch, { needsDaemon: true });
}

async function follow(
  { store, clock }: Operator,
  pipeline: Pipeline,
  { output, untilIdle }: { readonly output: Output; readonly untilIdle: boolean },
): Promise<void> {
  let shown: bigint | undefined;
  let quietSinceMs = clock.nowMs();
  while (!untilIdle || clock.nowMs() - quietSinceMs < QUIET_MS) {
    const run = await findLatestRun(store, pipeline);
    if (run !== undefined) shown = show(output, run, shown);
    if (run?.endedOn === null) quietSinceMs = clock.nowMs();
    await clock.sleep(POLL_MS);
  }
}

/** Answers the id of the last run that was written as ended. */
function show(output: Output, run: Run, shown: bigint | undefined): bigint | undefined {
  if (run.endedOn === null) {
    output.progress(progressText(run));
    return shown;
  }
  if (run.id === shown) return shown;
  output.progress('');
  output.line(
    `${run.endedOn.toISOString()} ${progressText(run)}${run.errors.map(({ message }) => `; ${message}`).join('')}`,
  );
  return run.id;
}
