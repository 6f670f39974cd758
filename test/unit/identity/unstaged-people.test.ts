import { expect, it } from 'vitest';
import { KEY_BYTES } from '../../../src/identity/identity-key.ts';
import type { PreparedPeople } from '../../../src/identity/prepared-people.ts';
import { isSmallChunk } from '../../../src/identity/resolve/unstaged-people.ts';

const chunk = (mode: 'incremental' | 'full', count: number, keyCount: number) =>
  ({ scope: { mode }, count, keys: { sorted: Buffer.alloc(keyCount * KEY_BYTES) } }) as unknown as PreparedPeople;

it.each([
  [chunk('incremental', 10, 40), true],
  [chunk('incremental', 11, 40), false],
  [chunk('incremental', 10, 41), false],
  [chunk('full', 1, 1), false],
])(
  'a chunk goes without staging where it has few people, few keys, and compares no row hashes: %#',
  (people, isFew) => {
    expect(isSmallChunk(people, 10)).toBe(isFew);
  },
);
