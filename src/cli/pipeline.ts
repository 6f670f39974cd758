import { type Command, Option } from 'commander';
import { readCount, readDuration, readId } from './arguments.ts';
import type { CommandContext, Register } from './command.ts';
import type { NamedRun } from './pipeline/runs.ts';
import type { TriggerOptions } from './pipeline/trigger.ts';
import type { WatchOptions } from './pipeline/watch.ts';

const HELP = `
  penstock pipeline trigger buyers --wait --timeout 2h

For orchestrators: with --wait the exit code is 0 when the run succeeded, 1 when it failed, 3 when it was stopped, and 4 when
--timeout ended first. The same --idempotency-key within a day returns the same run, so a repeated task starts no second run.`;

const HOUR_MS = 3_600_000;

export const registerPipeline: Register = (program, context) => {
  const showing = () => import('./pipeline/show.ts');
  const pipeline = program
    .command('pipeline')
    .description('list, show, trigger and watch pipelines')
    .addHelpText('after', HELP);
  inWorkspace(pipeline.command('list').description('list pipelines with their status and latest run')).action(
    async (options: WorkspaceOption) => (await showing()).listPipelines(context, options.workspace),
  );
  inWorkspace(pipeline.command('show').description('show a pipeline and its report').argument('<id>')).action(
    async (id: string, options: WorkspaceOption) => (await showing()).showPipeline(context, { id, ...options }),
  );
  inWorkspace(pipeline.command('runs').description('list runs of a pipeline, newest first').argument('<id>'))
    .option('--limit <count>', 'maximum number of entries', readCount(1000), 20)
    .action(async (id: string, options: WorkspaceOption & { limit: number }) =>
      (await showing()).listPipelineRuns(context, { id, ...options }),
    );
  registerTrigger(pipeline, context);
  registerRuns(pipeline, context);
  inWorkspace(pipeline.command('watch').description('follow a pipeline’s runs until Ctrl-C').argument('<id>'))
    .option('--until-idle', 'stop when no run is left')
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
    'id of the workspace; required if there are several',
    readId('--workspace'),
  );
}

function registerRuns(pipeline: Command, context: CommandContext): void {
  const ofRun = (name: string, description: string) =>
    inWorkspace(pipeline.command(name).description(description).argument('<id>')).option(
      '--run <run>',
      'id of the run; the latest by default',
      readId('--run'),
    );
  ofRun('cancel', 'cancel a run; the next one resumes at its position').action(
    async (id: string, options: Omit<NamedRun, 'id'>) =>
      (await import('./pipeline/runs.ts')).cancelFromCommand(context, { id, ...options }),
  );
  ofRun('failed-records', 'list rows that a run could not deliver, with the reason, newest first')
    .option('--limit <count>', 'maximum number of entries', readCount(1000), 20)
    .action(async (id: string, options: Omit<NamedRun, 'id'> & { limit: number }) =>
      (await import('./pipeline/runs.ts')).showFailedRecords(context, { id, ...options }),
    );
  ofRun('conflicts', 'list keys whose rows a write-back left unchanged, with the reason, newest first')
    .option('--limit <count>', 'maximum number of entries', readCount(1000), 20)
    .action(async (id: string, options: Omit<NamedRun, 'id'> & { limit: number }) =>
      (await import('./pipeline/runs.ts')).showConflicts(context, { id, ...options }),
    );
  ofRun('retry', 'retry failed records of a run with the current pipeline')
    .option('--record <record...>', 'ids of the records; by default all that were not retried yet')
    .action(async (id: string, options: Omit<NamedRun, 'id'> & { record?: readonly string[] }) =>
      (await import('./pipeline/runs.ts')).retryFromCommand(context, { id, ...options }),
    );
}

function registerTrigger(pipeline: Command, context: CommandContext): void {
  inWorkspace(pipeline.command('trigger').description('run a pipeline now').argument('<id>'))
    .option('--wait', 'wait until the run ends, with progress on a terminal, and exit with its exit code')
    .addOption(
      new Option('--timeout <duration>', 'with --wait: for at most so long, such as 90s, 15m, 2h')
        .argParser(readDuration)
        .default(HOUR_MS, '1h'),
    )
    .option('--idempotency-key <key>', 'repeating the key within a day returns the same run')
    .action(async (id: string, options: Omit<TriggerOptions, 'id'>) =>
      (await import('./pipeline/trigger.ts')).triggerFromCommand(context, { id, ...options }),
    );
}
