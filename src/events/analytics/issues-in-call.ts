import type { Issue } from '../../kernel/index.ts';
import type { Call } from './call-contract.ts';
import type { Origins } from './draft.ts';
import { mapCall } from './map-call.ts';
import type { Reading } from './mapping.ts';

/**
 * Translates the issues of a batch to paths in the call that it was made from: `properties.products[2].name` for
 * `events[0].data.product_action.products[2].name`. An issue that no field of the call has caused has an empty path.
 */
export function issuesInCall(call: Call, reading: Reading, issues: readonly Issue[]): readonly Issue[] {
  const origins: Origins = new Map();
  mapCall(call, reading, origins);
  return issues.map(({ path, message }) => ({ path: originOf(path, origins), message }));
}

/** Finds the nearest field at or above the path that came from the call. */
function originOf(path: string, origins: Origins): string {
  const above = [...origins.keys()].filter((place) => isAt(path, place));
  const nearest = above.reduce((one, other) => (other.length > one.length ? other : one), '');
  return origins.get(nearest) ?? '';
}

const isAt = (path: string, place: string): boolean =>
  path.startsWith(place) && ['', '.', '['].includes(path.charAt(place.length));
