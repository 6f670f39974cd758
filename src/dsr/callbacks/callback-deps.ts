import type { Outgoing } from '../../http/index.ts';
import type { Clock, Log } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Processor } from '../certificates/create-processor.ts';

/** Dependencies of sending callbacks. */
export interface CallbackDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly outgoing: Outgoing;
  readonly processor: Processor;
  /** Returns the absolute URL of a request's result file. */
  readonly resultsUrl: (requestId: string) => string;
  /** Interval between two passes of the queue. */
  readonly intervalMs: number;
}
