import { Cron } from 'croner';
import { AppError } from '../kernel/index.ts';

export interface CadenceRow {
  readonly name: string;
  readonly cron: string;
  readonly nextDueAt: Date;
}

/** One step of a poll. `run`: the cadence is due, and its row moves to `nextDueAt`. `move`: only the row moves. */
export type CadenceStep = { readonly kind: 'wait' } | { readonly kind: 'run' | 'move'; readonly nextDueAt: Date };

/** Last answer for each cron: no other occurrence lies between `after` and `next`. */
const found = new Map<string, { readonly after: Date; readonly next: Date }>();

/** Returns the first time after `after` that the cron names, in UTC. Polls ask for the same time until it is reached. */
export function nextOccurrence(cron: string, after: Date): Date {
  const last = found.get(cron);
  if (last !== undefined && last.after <= after && after < last.next) return last.next;
  const next = new Cron(cron, { timezone: 'UTC' }).nextRun(after);
  if (next === null) throw new AppError('INTERNAL', `The cron "${cron}" is never due.`);
  found.set(cron, { after, next });
  return next;
}

/**
 * Decides what a poll does with a cadence. After downtime the next due time is counted from now, so all missed occurrences
 * become one run. A due time further away than two occurrences was written by a clock that ran ahead, so it moves back. Within
 * two, the clocks of two daemons may differ a little, and moving it back would run an occurrence twice.
 */
export function planCadence({ cron, nextDueAt }: Omit<CadenceRow, 'name'>, now: Date): CadenceStep {
  const next = nextOccurrence(cron, now);
  if (nextDueAt <= now) return { kind: 'run', nextDueAt: next };
  if (nextDueAt <= next) return { kind: 'wait' };
  return nextDueAt > nextOccurrence(cron, next) ? { kind: 'move', nextDueAt: next } : { kind: 'wait' };
}
