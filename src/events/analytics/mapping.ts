import type { BatchLimits } from '../contract/batch-limits.ts';
import type { CallFields } from './call-contract.ts';
import type { Looking } from './compile-lines.ts';
import type { Draft, Origins } from './draft.ts';
import type { Arrival } from './event-time.ts';

/** Times and bounds by which a call is read. */
export interface Reading {
  readonly arrival: Arrival;
  readonly limits: BatchLimits;
}

/** One call on its way into a batch. */
export interface Mapping extends Looking {
  readonly call: CallFields;
  readonly draft: Draft;
  readonly taken: Set<string>;
  /** Filled if given: only the translation of issues needs it. */
  readonly origins: Origins | undefined;
}
