import { type Command, Option } from 'commander';
import { readCount, readDuration, readId } from './arguments.ts';
import type { CommandContext, Register } from './command.ts';
import type { NamedRun } from './pipeline/runs.ts';
import type { TriggerOptions } from './pipeline/trigger.ts';
import type { WatchOptions } from './pipeline/watch.ts';

const HELP = `
  penstock pipeline trigger buyers --wait --timeout 2h

For orchestrators: with --wait the exit code is 0 when the run succeeded, 1 when it failed, 3 when it was stopped, and 4 when
--timeout ended first. The same --idempotency-key within a day names the same run, so a repeated task starts nothing twice.`;

const HOUR_MS = 3_600_000;

export const registerPipeline: Register = (program, context) => {
  const showing = () => import('./pipeline/show.ts');
  const pipeline = program
    .command('pipeline')
    .description('list, show, trigger and watch pipelines')
    .addHelpText('after', HELP);
  inWorkspace(pipeline.command('list').description('pipelines with their status and newest run')).action(
    async (options: WorkspaceOption) => (await showing()).listPipelines(context, options.workspace),
  );
  inWorkspace(pipeline.command('show').description('one pipeline and its report').argument('<id>')).action(
    async (id: string, options: WorkspaceOption) => (await showing()).showPipeline(context, { id, ...options }),
  );
  inWorkspace(pipeline.command('runs').description('runs of a pipeline, the newest first').argument('<id>'))
    .option('--limit <count>', 'at most so many', readCount(1000), 20)
    .action(async (id: string, options: WorkspaceOption & { limit: number }) =>
      (await showing()).listPipelineRuns(context, { id, ...options }),
    );
  registerTrigger(pipeline, context);
  registerRuns(pipeline, context);
  inWorkspace(pipeline.command('watch').description('follow a pipeline’s runs until Ctrl-C').argument('<id>'))
    .option('--until-idle', 'end when no run is left')
    .action(async (id: string, options: Omit<WatchOptions, 'id'>) =>
      (await import('./pipeline/watch.ts')).watchPipeline(context, { id, ...options }),
    );
};

interface WorkspaceOption {
  readonly workspace?: bigint;
}

function inWorkspace(command: Command): Command {
  return command.option(
    '--workspace <id>',
    'id of the workspace; needed where there are several',
    readId('--workspace'),
  );
}

function registerRuns(pipeline: Command, context: CommandContext): void {
  const ofRun = (name: string, description: string) =>
    inWorkspace(pipeline.command(name).description(description).argument('<id>')).option(
      '--run <run>',
      'the run; without it the newest one',
      readId('--run'),
    );
  ofRun('cancel', 'stop a run; the next one goes on where it stands').action(
    async (id: string, options: Omit<NamedRun, 'id'>) =>
      (await import('./pipeline/runs.ts')).cancelFromCommand(context, { id, ...options }),
  );
  ofRun('failed-records', 'rows that a run could not keep, and why, the newest first')
    .option('--limit <count>', 'at most so many', readCount(1000), 20)
    .action(async (id: string, options: Omit<NamedRun, 'id'> & { limit: number }) =>
      (await import('./pipeline/runs.ts')).showFailedRecords(context, { id, ...options }),
    );
  ofRun(
    'conflicts',
    'keys whose rows did not get their MPID from a run that writes them back, and why, the newest first',
  )
    .option('--limit <count>', 'at most so many', readCount(1000), 20)
    .action(async (id: string, options: Omit<NamedRun, 'id'> & { limit: number }) =>
      (await import('./pipeline/runs.ts')).showConflicts(context, { id, ...options }),
    );
  ofRun('retry', 'deliver failed records of a run again, as the pipeline is now')
    .option('--record <record...>', 'ids of the records; without it all that were not retried yet')
    .action(async (id: string, options: Omit<NamedRun, 'id'> & { record?: readonly string[] }) =>
      (await import('./pipeline/runs.ts')).retryFromCommand(context, { id, ...options }),
    );
}

function registerTrigger(pipeline: Command, context: CommandContext): void {
  inWorkspace(pipeline.command('trigger').description('run a pipeline now').argument('<id>'))
    .option('--wait', 'wait for the end of the run, with progress on a terminal, and end with its exit code')
    .addOption(
      new Option('--timeout <duration>', 'with --wait: for at most so long, such as 90s, 15m, 2h')
        .argParser(readDuration)
        .default(HOUR_MS, '1h'),
    )
    .option('--idempotency-key <key>', 'the same key within a day names the same run')
    .action(async (id: string, options: Omit<TriggerOptions, 'id'>) =>
      (await import('./pipeline/trigger.ts')).triggerFromCommand(context, { id, ...options }),
    );
}
