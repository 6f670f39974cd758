import type { Issue } from '../../kernel/index.ts';
import type { Call } from './call-contract.ts';
import type { Origins } from './draft.ts';
import type { Arrival } from './event-time.ts';
import { mapCall } from './map-call.ts';

/**
 * Complaints about the batch that a call became, with the paths that the caller wrote: `properties.products[2].name` for
 * `events[0].data.product_action.products[2].name`. What no field of the call is to blame for has an empty path.
 */
export function issuesInCall(call: Call, arrival: Arrival, issues: readonly Issue[]): readonly Issue[] {
  const origins: Origins = new Map();
  mapCall(call, arrival, origins);
  return issues.map(({ path, message }) => ({ path: originOf(path, origins), message }));
}

/** The nearest field at or above the path that came from the call. */
function originOf(path: string, origins: Origins): string {
  const above = [...origins.keys()].filter((place) => isAt(path, place));
  const nearest = above.reduce((one, other) => (other.length > one.length ? other : one), '');
  return origins.get(nearest) ?? '';
}

const isAt = (path: string, place: string): boolean =>
  path.startsWith(place) && ['', '.', '['].includes(path.charAt(place.length));
