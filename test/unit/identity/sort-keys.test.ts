import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortKeys } from '../../../src/identity/sort-keys.ts';

it('sorts distinct keys and finds each again, keys with one prefix included', () => {
  const key = fc
    .tuple(fc.constantFrom('00000000', 'ffffffff', '12345678'), fc.integer({ min: 0, max: 40 }))
    .map(([prefix, rest]) => prefix + String(rest).padStart(24, '0'));
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const { sorted, ordinals } = sortKeys(keys);
      expect(sorted).toEqual([...new Set(keys)].sort());
      expect(keys.map((_, i) => sorted[ordinals[i] ?? -1])).toEqual(keys);
    }),
  );
});
