import type { Outgoing } from '../../http/index.ts';
import type { Clock, Log } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Processor } from '../certificates/create-processor.ts';

/** What sends callbacks. */
export interface CallbackDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly outgoing: Outgoing;
  readonly processor: Processor;
  /** The whole address of a request's result file. */
  readonly resultsUrl: (requestId: string) => string;
  /** How often the queue goes out. */
  readonly intervalMs: number;
}
