import type { ProbeStage, StageName } from '../../src/warehouse/index.ts';
import { classify } from './errors.ts';

export interface ProbeStep {
  readonly name: StageName;
  /** What it means that it worked. */
  readonly passed: string;
  readonly take: () => Promise<unknown>;
}

/** Takes the stages in order; after the first that fails, the rest is skipped. */
export async function takeStages(steps: readonly ProbeStep[], signal: AbortSignal): Promise<readonly ProbeStage[]> {
  const stages: ProbeStage[] = [];
  let failed = false;
  for (const step of steps) {
    const stage: ProbeStage = failed ? skipped(step) : await take(step, signal);
    failed ||= stage.status === 'failed';
    stages.push(stage);
  }
  return stages;
}

async function take({ name, passed, take }: ProbeStep, signal: AbortSignal): Promise<ProbeStage> {
  try {
    await take();
    return { name, status: 'passed', message: passed };
  } catch (failure) {
    if (signal.aborted) throw failure;
    return { name, status: 'failed', message: classify(failure).message };
  }
}

function skipped({ name }: ProbeStep): ProbeStage {
  return { name, status: 'skipped', message: 'Not tried, because a stage before it failed.' };
}
