import type { PersonFailure, ProfileBounds } from '../contract.ts';
import { readObjectText } from './attribute-text.ts';
import type { KeptAttributes } from './merge-attributes.ts';

/** Length of the shortest attribute, `"a":1,`. A text shorter than that many of them needs no count. */
const LEAST_CHARACTERS = 6;
/** Most bytes of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;

/**
 * Refuses a write that leaves a profile above its bounds and larger than it was. A profile that was above them before may still
 * shrink. Times of removed attributes count, so a removal of names that the profile never had is growth. Most profiles are
 * decided by the length of their text.
 */
export function refuseGrowth(
  before: KeptAttributes,
  after: KeptAttributes,
  bounds: ProfileBounds | undefined,
): PersonFailure | undefined {
  if (bounds === undefined) return undefined;
  const { attributes: most, attributeBytes: mostBytes } = bounds;
  if (sizeOf(after) * MOST_BYTES > mostBytes && sizeOf(after) > sizeOf(before)) {
    const bytes = Buffer.byteLength(after.attributes) + Buffer.byteLength(after.times);
    if (bytes > mostBytes) return full(`${bytes} bytes`, 'profile_attribute_bytes', mostBytes);
  }
  if (after.attributes.length <= most * LEAST_CHARACTERS) return undefined;
  const count = readObjectText(after.attributes).size;
  const isMore = count > most && count > readObjectText(before.attributes).size;
  return isMore ? full(`${count} attributes`, 'profile_attributes', most) : undefined;
}

const sizeOf = ({ attributes, times }: KeptAttributes): number => attributes.length + times.length;

function full(size: string, setting: string, most: number): PersonFailure {
  return {
    rule: 'profile_full',
    field: 'user_attributes',
    reason: `The profile would hold ${size}, and limits.${setting} allows ${most}: remove attributes of it, or raise the setting.`,
  };
}
