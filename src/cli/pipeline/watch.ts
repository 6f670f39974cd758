import { listRuns, type Pipeline, type Run } from '../../pipelines/index.ts';
import { runAnswer } from '../../runs/index.ts';
import type { CommandContext } from '../command.ts';
import { asOperator, type Operator } from '../operator.ts';
import type { Output } from '../output.ts';
import { type Named, thePipeline } from './the-pipeline.ts';
import { progressText } from './trigger.ts';

export interface WatchOptions extends Named {
  readonly untilIdle?: true;
}

const POLL_MS = 500;
/** Number of runs read at each poll; fewer runs of one pipeline end between two polls. */
const LOOK_BACK = 20;
/** Milliseconds that `--until-idle` waits for a due run, which the daemon creates within a second. */
const QUIET_MS = 3000;

/** Writes one line for each run that ended, and the progress of the running one. */
export async function watchPipeline(context: CommandContext, options: WatchOptions): Promise<void> {
  const output = context.output();
  const watch = async (operator: Operator) => {
    await follow(operator, await thePipeline(operator.store, options), {
      output,
      untilIdle: options.untilIdle === true,
    });
  };
  await asOperator(context, watch, { needsDaemon: true });
}

async function follow(
  { store, clock }: Operator,
  pipeline: Pipeline,
  { output, untilIdle }: { readonly output: Output; readonly untilIdle: boolean },
): Promise<void> {
  let shownUpTo: bigint | undefined;
  let quietSinceMs = clock.nowMs();
  while (!untilIdle || clock.nowMs() - quietSinceMs < QUIET_MS) {
    const newest = await listRuns(store, pipeline, { limit: LOOK_BACK, offset: 0, from: undefined, to: undefined });
    // of the runs that ended before the watch began, only the last is shown
    const ended = newest.filter((run) => run.endedOn !== null && (shownUpTo === undefined || run.id > shownUpTo));
    for (const run of (shownUpTo === undefined ? ended.slice(0, 1) : ended).reverse()) showEnd(run, pipeline, output);
    shownUpTo = ended[0]?.id ?? shownUpTo ?? 0n;
    const live = newest.find((run) => run.endedOn === null);
    if (live !== undefined) {
      output.progress(progressText(live));
      quietSinceMs = clock.nowMs();
    }
    await clock.sleep(POLL_MS);
  }
}

/** Writes a line for a person, or JSON, also on one line, for a program. */
function showEnd(run: Run, pipeline: Pipeline, output: Output): void {
  output.progress('');
  const errors = run.errors.map(({ message }) => `; ${message}`).join('');
  if (output.json) output.object(runAnswer(run, pipeline.id));
  else output.line(`${run.endedOn?.toISOString()} ${progressText(run)}${errors}`);
}
