import type { Log } from '../kernel/index.ts';
import { onDisagreement } from '../warehouse/index.ts';

/** Logs each model that the two parsers of the SQL gate read differently. */
export function logDisagreements(log: Log): void {
  onDisagreement((disagreement) => log.warn(disagreement, 'gate.parsers_disagree'));
}
