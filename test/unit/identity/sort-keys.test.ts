import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KEY_BYTES } from '../../../src/identity/identity-key.ts';
import { sortKeys } from '../../../src/identity/resolve/sort-keys.ts';

it('sorts distinct keys and finds each again, keys with one prefix included', () => {
  const key = fc
    .tuple(fc.constantFrom('00000000', 'ffffffff', '12345678'), fc.integer({ min: 0, max: 40 }))
    .map(([prefix, rest]) => prefix + String(rest).padStart(24, '0'));
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const { sorted, ordinals } = sortKeys(Buffer.from(keys.join(''), 'hex'));
      const read = (ordinal: number) => sorted.toString('hex', ordinal * KEY_BYTES, (ordinal + 1) * KEY_BYTES);
      const distinct = [...new Set(keys)].sort();
      expect(sorted.toString('hex')).toBe(distinct.join(''));
      expect(Array.from(ordinals, read)).toEqual(keys);
    }),
  );
});
