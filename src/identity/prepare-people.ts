import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { columnsFor, objectText } from './attribute-text.ts';
import type { Person, PreparedPeople, ResolutionScope } from './contract.ts';
import type { IdentityHash } from './identity-key.ts';
import { DEFAULT_POLICY } from './identity-types.ts';
import { sortKeys } from './sort-keys.ts';

/** Rank of a type that finds no profile. */
export const FINDS_NONE = 255;

/** Rows between two turns of the event loop: a few milliseconds, so that sockets are served meanwhile. */
export const SLICE_ROWS = 2000;

const HEX_DIGITS = 32;

/** Hashes and sorts a chunk: 2–3 µs a row of two identities and ten attributes. Touches nothing outside. */
export async function preparePeople(
  identityHash: IdentityHash,
  scope: ResolutionScope,
  people: readonly Person[],
): Promise<PreparedPeople> {
  const rankOf = new Map((scope.policy ?? DEFAULT_POLICY).priority.map((type, rank) => [type, rank]));
  const texts: string[] = [];
  const hashes: string[] = [];
  const starts = new Int32Array(people.length + 1);
  const keys: string[] = [];
  const ranks: number[] = [];
  for (const [i, { identities, attributes }] of people.entries()) {
    for (const identity of identities) {
      keys.push(identityHash(identity));
      ranks.push(rankOf.get(identity.type) ?? FINDS_NONE);
    }
    starts[i + 1] = keys.length;
    const text = objectText(columnsFor(attributes.names), attributes.texts);
    texts.push(text);
    if (scope.mode === 'full') hashes.push(rowHash(text, people[i] as Person, keys.slice(starts[i])));
    if (i % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
  const { sorted, ordinals } = sortKeys(keys);
  return {
    scope,
    people,
    keys: { sorted, starts, ordinals, ranks: Uint8Array.from(ranks) },
    rows: { texts, hashes: scope.mode === 'full' ? hashes : undefined },
  };
}

/** 16 bytes over everything that a row says: names, values, removals, identities. The time is left out on purpose. */
function rowHash(text: string, { attributes }: Person, keys: readonly string[]): string {
  const removed = attributes.texts.includes(null)
    ? JSON.stringify(attributes.names.filter((_, i) => attributes.texts[i] === null))
    : '';
  return hash('sha256', `${text}${removed}\n${keys.join('')}`, 'hex').slice(0, HEX_DIGITS);
}
