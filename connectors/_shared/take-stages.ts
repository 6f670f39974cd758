import { type AppError, wordsOf } from '../../src/kernel/index.ts';
import type { ProbeStage, StageName } from '../../src/warehouse/index.ts';
import { cutText } from './classifier.ts';

export interface ProbeStep {
  readonly name: StageName;
  /** Meaning of a success; a text that `take` returns replaces it. */
  readonly passed: string;
  readonly take: () => Promise<unknown>;
}

export interface Probing {
  readonly classify: (failure: unknown) => AppError;
  readonly signal: AbortSignal;
}

/** Takes the stages in order and skips the rest after the first failure. */
export async function takeStages(steps: readonly ProbeStep[], probing: Probing): Promise<readonly ProbeStage[]> {
  const stages: ProbeStage[] = [];
  let failed = false;
  for (const step of steps) {
    const stage: ProbeStage = failed ? skipped(step) : await take(step, probing);
    failed ||= stage.status === 'failed';
    stages.push(stage);
  }
  return stages;
}

async function take({ name, passed, take }: ProbeStep, { classify, signal }: Probing): Promise<ProbeStage> {
  try {
    const said = await take();
    return { name, status: 'passed', message: typeof said === 'string' ? cutText(said) : passed };
  } catch (failure) {
    if (signal.aborted) throw failure;
    return { name, status: 'failed', ...wordsOf(classify(failure)) };
  }
}

function skipped({ name }: ProbeStep): ProbeStage {
  return { name, status: 'skipped', message: 'Not tried, because an earlier stage failed.' };
}
