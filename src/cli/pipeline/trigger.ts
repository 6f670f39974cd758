import { openJobSender } from '../../jobs/index.ts';
import { createLog } from '../../kernel/index.ts';
import { loadRun, type Pipeline, type Run, type RunStatus } from '../../pipelines/index.ts';
import { runAnswer, triggerPipeline } from '../../runs/index.ts';
import type { CommandContext } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { asOperator, type Operator } from '../operator.ts';
import type { Output } from '../output.ts';
import { runRow } from './show.ts';
import { type Named, thePipeline } from './the-pipeline.ts';

export interface TriggerOptions extends Named {
  readonly wait?: true;
  /** Longest wait, in milliseconds. */
  readonly timeout: number;
  readonly idempotencyKey?: string;
}

const POLL_MS = 250;
/** Milliseconds after which a queued run probably has no daemon to work on it. */
const HINT_MS = 10_000;
const EXIT_OF: Readonly<Partial<Record<RunStatus, number>>> = {
  success: EXIT.ok.code,
  failed: EXIT.failed.code,
  stopped: EXIT.stopped.code,
};

export async function triggerFromCommand(context: CommandContext, options: TriggerOptions): Promise<void> {
  const output = context.output();
  const trigger = async (operator: Operator) => {
    const pipeline = await thePipeline(operator.store, options);
    const runId = await request(operator, pipeline, options.idempotencyKey);
    if (options.wait === true) {
      context.setExitCode(await waitForEnd(operator, { pipeline, runId }, { output, timeoutMs: options.timeout }));
    } else {
      output.object({ pipeline_run_id: runId, status: 'attempt_requested' });
      if (!operator.hasDaemon) output.note('No daemon is running; the run begins with the next `penstock serve`.');
    }
  };
  await asOperator(context, trigger, { needsDaemon: options.wait === true });
}

async function request(
  { store, clock, actor }: Operator,
  { workspaceId, id }: Pipeline,
  idempotencyKey: string | undefined,
): Promise<bigint> {
  await using jobs = await openJobSender({ store, clock, log: createLog('error', process.stderr) });
  return await triggerPipeline({ store, clock, jobs }, { workspaceId, actor }, { pipelineId: id, idempotencyKey });
}

async function waitForEnd(
  { store, clock }: Operator,
  { pipeline, runId }: { readonly pipeline: Pipeline; readonly runId: bigint },
  { output, timeoutMs }: { readonly output: Output; readonly timeoutMs: number },
): Promise<number> {
  const sinceMs = clock.nowMs();
  for (let isHinted = false; ; ) {
    const run = await loadRun(store, pipeline, runId);
    const exitCode = EXIT_OF[run.status];
    const waitedMs = clock.nowMs() - sinceMs;
    if (exitCode !== undefined || waitedMs >= timeoutMs) {
      output.progress('');
      showEnd(run, pipeline.id, output);
      return exitCode ?? EXIT.timeout.code;
    }
    output.progress(progressText(run));
    if (run.status === 'queued' && waitedMs > HINT_MS && !isHinted) {
      isHinted = true;
      output.note('The run is still queued. Check that a daemon runs on this store (penstock serve).');
    }
    await clock.sleep(POLL_MS);
  }
}

export function progressText(run: Run): string {
  const attempt = run.attempts > 1 ? `, attempt ${run.attempts}` : '';
  const next = run.status === 'retrying' && run.retryAt !== null ? `, again at ${run.retryAt.toISOString()}` : '';
  const written =
    run.writtenRecords === null ? '' : `, ${run.writtenRecords} written, ${run.conflictingRecords} conflicts`;
  return `run ${run.id} ${run.status}${attempt}${next}: ${run.extractedRecords} rows read, ${run.failedRecords} failed${written}`;
}

function showEnd(run: Run, pipelineId: string, output: Output): void {
  output.object(output.json ? runAnswer(run, pipelineId) : runRow(run));
}
