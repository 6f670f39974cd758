import type { Issue } from '../errors.ts';
import { fieldPath } from '../field-path.ts';

type Step = string | number;

/** One walk through a value. The path is written out only for an issue. */
export interface Scan<Limits = unknown> {
  /** Bounds that differ from call to call, for the rules of a room. */
  readonly limits: Limits;
  readonly trail: Step[];
  readonly issues: Issue[];
  /** Number of issues after which the walk ends. */
  readonly most: number;
}

/** Check of the value at the end of the trail. */
export type Check<Limits = unknown> = (value: unknown, scan: Scan<Limits>) => void;

export function startScan<Limits>(limits: Limits, most: number): Scan<Limits> {
  return { limits, trail: [], issues: [], most };
}

/** Tells whether the walk may end: a list of a million wrong entries must not produce a million issues. */
export function isFull({ issues, most }: Scan): boolean {
  return issues.length >= most;
}

/** Adds an issue about the value at the end of the trail. */
export function complain({ issues, trail, most }: Scan, message: string): void {
  if (issues.length < most) issues.push({ path: trail.reduce<string>(fieldPath, ''), message });
}

/** Adds an issue about a field of the value at the end of the trail. */
export function complainAt(scan: Scan, step: Step, message: string): void {
  scan.trail.push(step);
  complain(scan, message);
  scan.trail.pop();
}

/** Returns a check that makes each of `checks` in turn; undefined where there is none. */
export function inTurn<Value, Limits>(
  checks: readonly ((value: Value, scan: Scan<Limits>) => void)[],
): ((value: Value, scan: Scan<Limits>) => void) | undefined {
  const [first, ...others] = checks;
  const rest = others.length === 0 ? undefined : inTurn(others);
  if (first === undefined || rest === undefined) return first;
  return (value, scan) => {
    first(value, scan);
    rest(value, scan);
  };
}
