import { type Json, msOfMicros } from '../../kernel/index.ts';
import { type CallFields, instantOf } from './call-contract.ts';

/** Times of the request in which a call came. */
export interface Arrival {
  readonly receivedMs: number;
  /** `sentAt` of a batch of calls, for those without one of their own. */
  readonly sentAt?: Json;
}

/**
 * Returns when a call was made, in ms since 1970 (D-039): receipt − (sentAt − timestamp), so that a device with a wrong
 * clock does no harm. RudderStack's SDKs call the time `originalTimestamp`.
 * Without `sentAt` the sender's clock is trusted. Without a time the call counts as made at its receipt.
 */
export function eventTimeMs(call: CallFields, { receivedMs, sentAt }: Arrival): number {
  const made = instantOf(call.timestamp) ?? instantOf(call.originalTimestamp);
  if (made === undefined) return receivedMs;
  const sent = instantOf(call.sentAt) ?? instantOf(sentAt);
  return sent === undefined ? msOfMicros(made) : receivedMs - (msOfMicros(sent) - msOfMicros(made));
}
