import type { Command } from 'commander';
import { readCount, readDuration, readId } from './arguments.ts';
import type { CommandContext, Register } from './command.ts';
import { listPipelineRuns, listPipelines, showPipeline } from './pipeline-show.ts';
import { type TriggerOptions, triggerFromCommand } from './pipeline-trigger.ts';
import { type WatchOptions, watchPipeline } from './pipeline-watch.ts';

const HELP = `
  penstock pipeline trigger buyers --wait --timeout 2h

For orchestrators: with --wait the exit code is 0 when the run succeeded, 1 when it failed, 3 when it was stopped, and 4 when
--timeout ended first. The same --idempotency-key within a day names the same run, so a repeated task starts nothing twice.`;

const HOUR_MS = 3_600_000;

export const registerPipeline: Register = (program, context) => {
  const pipeline = program
    .command('pipeline')
    .description('list, show, trigger and watch pipelines')
    .addHelpText('after', HELP);
  inWorkspace(pipeline.command('list').description('pipelines with their status and newest run')).action(
    (options: WorkspaceOption) => listPipelines(context, options.workspace),
  );
  inWorkspace(pipeline.command('show').description('one pipeline and its report').argument('<id>')).action(
    (id: string, options: WorkspaceOption) => showPipeline(context, { id, ...options }),
  );
  inWorkspace(pipeline.command('runs').description('runs of a pipeline, the newest first').argument('<id>'))
    .option('--limit <count>', 'at most so many', readCount(1000), 20)
    .action((id: string, options: WorkspaceOption & { limit: number }) =>
      listPipelineRuns(context, { id, ...options }),
    );
  registerTrigger(pipeline, context);
  inWorkspace(pipeline.command('watch').description('follow a pipeline’s runs until Ctrl-C').argument('<id>'))
    .option('--until-idle', 'end when no run is left', false)
    .action((id: string, options: Omit<WatchOptions, 'id'>) => watchPipeline(context, { id, ...options }));
};

export interface WorkspaceOption {
  readonly workspace?: bigint;
}

function inWorkspace(command: Command): Command {
  return command.option(
    '--workspace <id>',
    'id of the workspace; needed where there are several',
    readId('--workspace'),
  );
}

function registerTrigger(pipeline: Command, context: CommandContext): void {
  inWorkspace(pipeline.command('trigger').description('run a pipeline now').argument('<id>'))
    .option('--wait', 'wait for the end of the run and end with its exit code', false)
    .option('--timeout <duration>', 'with --wait: for at most so long', readDuration, HOUR_MS)
    .option('--idempotency-key <key>', 'the same key within a day names the same run')
    .action((id: string, options: Omit<TriggerOptions, 'id'>) => triggerFromCommand(context, { id, ...options }));
}
