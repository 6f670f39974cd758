import { boundSetTimeMs } from '../../identity/index.ts';
import { stringifyJson } from '../../kernel/index.ts';
import type { EventBatch } from '../contract/batch.ts';

interface BatchTimes {
  /** Time at which the batch's attributes were set. */
  readonly setAtMs: number;
  readonly receivedMs: number;
}

const REGULATIONS = ['gdpr', 'ccpa'] as const;

/**
 * Returns a batch's consent_state as profiles keep it (`Person.consent`): each purpose with the time at which it was given
 * or refused. Returns undefined when it holds no purpose.
 * A purpose whose time is null counts from the batch's own time. A time in the future counts as the time of receipt, as
 * for attributes; otherwise a wrong clock would outlast every withdrawal. The batch itself keeps its own times.
 */
export function consentText(state: EventBatch['consent_state'], times: BatchTimes): string | undefined {
  if (state === undefined || state === null) return undefined;
  const parts = REGULATIONS.flatMap((regulation) => {
    const purposes = purposesText(state[regulation], times);
    return purposes === '' ? [] : `"${regulation}":{${purposes}}`;
  });
  return parts.length === 0 ? undefined : `{${parts.join(',')}}`;
}

type Purposes = NonNullable<EventBatch['consent_state']>['gdpr'];

function purposesText(purposes: Purposes, { setAtMs, receivedMs }: BatchTimes): string {
  return Object.entries(purposes ?? {})
    .flatMap(([name, purpose]) => {
      if (purpose === null) return [];
      const givenMs = boundSetTimeMs(purpose.timestamp_unixtime_ms ?? setAtMs, receivedMs);
      return `${JSON.stringify(name)}:${stringifyJson({ ...purpose, timestamp_unixtime_ms: givenMs })}`;
    })
    .join(',');
}
