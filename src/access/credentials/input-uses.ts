import { refuse } from '../../kernel/index.ts';

/**
 * Uses of an input key, each granted by itself:
 * `server` with its secret (Basic or signature): events, identity requests, analytics calls; for keys that stay secret;
 * `web` alone, in the path of `POST /v3/JS/{key}/events`;
 * `identity_key_only` alone, in the header `x-mp-key` of identity requests (D-049);
 * `dsr` with its secret: data subject requests, which read and erase all data of a person;
 * `write_key` alone, as the Basic user of analytics calls, as Segment's and RudderStack's SDKs send it.
 * A key that is used alone is public: whoever has it can send data, and read none.
 */
export const INPUT_USES = ['server', 'dsr', 'web', 'identity_key_only', 'write_key'] as const;
export type InputUse = (typeof INPUT_USES)[number];

/**
 * Returns the uses without repetition, in the order of `INPUT_USES`. Throws VALIDATION_FAILED for none and for unknown words.
 */
export function readInputUses(words: readonly string[]): readonly InputUse[] {
  const unknown = words.find((word) => !INPUT_USES.some((use) => use === word));
  if (unknown === undefined && words.length > 0) return INPUT_USES.filter((use) => words.includes(use));
  const problem = unknown === undefined ? 'is empty' : `"${unknown}" is not a use`;
  throw refuse([{ path: 'uses', message: `${problem}; the uses are ${INPUT_USES.join(', ')}.` }]);
}
