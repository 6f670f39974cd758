import { AppError, type Json, systemClock } from '../../kernel/index.ts';
import type { ApiClient } from '../api-client.ts';
import { PIPELINE } from './definition.ts';
import type { Guide } from './tour.ts';

const POLL_MS = 100;
const REPORTED = ['status', 'extracted_records', 'successful_records', 'failed_records', 'range_start', 'range_end'];

type RunAnswer = Record<string, Json>;

/** Triggers the pipeline, shows progress and report of the run, and returns how many rows the run read. */
export async function runPipeline(api: ApiClient, { output, ended }: Pick<Guide, 'output' | 'ended'>): Promise<number> {
  const { pipeline_run_id: id } = await api.post('/inputs/data-pipelines/trigger', { pipeline_id: PIPELINE.id });
  const path = `/inputs/data-pipelines/${PIPELINE.id}/runs/${String(id)}`;
  let run: RunAnswer = await api.get(path);
  while (!isOver(run)) {
    output.progress(`   ${run.status}: ${run.extracted_records} rows read`);
    await systemClock.sleep(POLL_MS, ended);
    run = await api.get(path);
  }
  output.progress('');
  output.line('');
  output.object(Object.fromEntries(REPORTED.map((name) => [`   ${name}`, run[name]])));
  if (run.status !== 'success')
    throw new AppError('INTERNAL', `The run did not succeed: ${JSON.stringify(run.errors)}`);
  return Number(run.extracted_records);
}

const isOver = ({ status }: RunAnswer): boolean => status === 'success' || status === 'failed' || status === 'stopped';
