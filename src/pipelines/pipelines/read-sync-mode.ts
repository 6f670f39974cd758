// sync_mode and schedule from the wire into records, with every complaint. Pure: no store, no warehouse.
import type { Static } from 'typebox';
import { formatMicros, type Issue, instantFromStore as instantMicros, parseInstant } from '../../kernel/index.ts';
import { type Dialect, ITERATOR_TYPES, parseIteratorType } from '../../warehouse/index.ts';
import type { SyncModeShape } from '../contract/sync-mode.ts';
import { parseDuration } from '../schedules/duration.ts';
import type { Iterator, SyncMode } from './pipeline.ts';

type Wire = Static<typeof SyncModeShape>;
type Complain = (path: string, message: string) => void;

/**
 * Reads sync_mode into a record. `dialect` adds the provider's own names of iterator types. Complaints are pushed to `issues`.
 */
export function readSyncMode(wire: Wire, dialect: Dialect | undefined, issues: Issue[]): SyncMode {
  const complain: Complain = (path, message) => issues.push({ path: `sync_mode.${path}`, message });
  const iterator = readIterator(wire, dialect, complain);
  const from = canonicalInstant(wire.from);
  const until = canonicalInstant(wire.until);
  if (from !== undefined && until !== undefined && instantMicros(until) <= instantMicros(from)) {
    complain('until', `"${wire.until}" is not after from; choose a later time, or leave it out`);
  }
  checkLookback(wire, complain);
  return {
    type: wire.type,
    ...(iterator && { iterator }),
    ...(from && { from }),
    ...(until && { until }),
    ...(wire.lookback && { lookback: wire.lookback }),
  };
}

function readIterator(wire: Wire, dialect: Dialect | undefined, complain: Complain): Iterator | undefined {
  const { iterator_field: field, iterator_data_type: declaredType, iterator_time_zone: timeZone } = wire;
  requireIterator(wire, complain);
  if (timeZone != null) checkTimeZone(timeZone, field != null, complain);
  if (declaredType == null) return undefined;
  const type = parseIteratorType(declaredType, dialect);
  if (type === undefined) {
    complain(
      'iterator_data_type',
      `"${declaredType}" is neither one of ${ITERATOR_TYPES.join(', ')} nor a type of the provider`,
    );
  }
  if (field == null || type === undefined) return undefined;
  return { field, type, declaredType, ...(timeZone != null && { timeZone }) };
}

function requireIterator(wire: Wire, complain: Complain): void {
  const { type, iterator_field: field, iterator_data_type: declaredType } = wire;
  if (type === 'full' && field == null && declaredType == null) return;
  const why =
    type === 'incremental' ? 'is required when type is incremental' : 'is required together with the other one';
  if (field == null) complain('iterator_field', `${why}; name the column with the time at which a row changed`);
  if (declaredType == null) complain('iterator_data_type', `${why}; use one of ${ITERATOR_TYPES.join(', ')}`);
}

function checkTimeZone(name: string, hasIterator: boolean, complain: Complain): void {
  if (!isTimeZone(name))
    complain('iterator_time_zone', `"${name}" is not an IANA time zone; use one such as Europe/Berlin`);
  else if (!hasIterator)
    complain('iterator_time_zone', 'is only allowed together with iterator_field; add that, or leave this out');
}

// Refuses a lookback where no iterator is tracked.
function checkLookback({ lookback, type }: Wire, complain: Complain): void {
  if (lookback == null) return;
  if (type === 'full') complain('lookback', 'only applies to incremental pipelines; leave it out');
  else if (parseDuration(lookback) === undefined) complain('lookback', `"${lookback}" is longer than 100 years`);
}

export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Formats an instant in UTC with `Z`, with microseconds only where they are not 0. Returns undefined for null and absent. */
export function canonicalInstant(text: string | null | undefined): string | undefined {
  const micros = text == null ? undefined : parseInstant(text);
  return micros === undefined ? undefined : formatMicros(micros).replace(/\.000000Z$/, 'Z');
}
