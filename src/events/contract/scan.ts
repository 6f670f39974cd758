import type { WorkspaceSettings } from '../../access/index.ts';
import { fieldPath, type Issue } from '../../kernel/index.ts';

/** The bounds of a batch, settings of its workspace (D-031). */
export type BatchLimits = Pick<
  WorkspaceSettings['limits'],
  'batchBytes' | 'attributesPerEvent' | 'userAttributesPerBatch' | 'nameCharacters' | 'valueCharacters'
>;

type Step = string | number;

/** One walk through a batch. The path is only written out when something is wrong. */
export interface Scan {
  readonly limits: BatchLimits;
  readonly trail: Step[];
  readonly issues: Issue[];
}

/** Check of the value at the end of the trail. */
export type Check = (value: unknown, scan: Scan) => void;

const MOST_ISSUES = 50;

/** Adds an issue at the end of the trail. Keeps 50 at most: more help nobody, and a hostile batch has thousands. */
export function complain({ issues, trail }: Scan, message: string): void {
  if (issues.length < MOST_ISSUES) issues.push({ path: trail.reduce<string>(fieldPath, ''), message });
  else if (issues.length === MOST_ISSUES) issues.push({ path: '', message: 'and more' });
}

/** Adds an issue one step below the trail. */
export function complainAt(scan: Scan, step: Step, message: string): void {
  scan.trail.push(step);
  complain(scan, message);
  scan.trail.pop();
}
