import type { ChunkKeys } from './contract.ts';
import { IDENTITY_TYPES } from './identity-types.ts';

/** How a profile lists the identity at a place of the chunk: `["type","value"]`. */
export function identityText({ types, values }: ChunkKeys, place: number): string {
  return `["${IDENTITY_TYPES[types[place] as number]}",${JSON.stringify(values[place])}]`;
}

/** Several of them between commas, the last one first; empty for none. */
export function identitiesText(keys: ChunkKeys, added: readonly number[] | undefined): string {
  if (added === undefined) return '';
  let text = '';
  for (const place of added) text = identityText(keys, place) + (text === '' ? '' : `,${text}`);
  return text;
}
