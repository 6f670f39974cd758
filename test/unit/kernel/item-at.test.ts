import { expect, test } from 'vitest';
import { itemAt } from '../../../src/kernel/index.ts';

test('an item is had by its index, from lists and typed arrays', () => {
  expect(itemAt(['a', 'b'], 1)).toBe('b');
  expect(itemAt(Uint32Array.of(7, 8), 0)).toBe(7);
  expect(itemAt([undefined], 0)).toBeUndefined();
});

test.each([-1, 2, 0.5, Number.NaN])('an index that names no item is a defect: %d', (index) => {
  expect(() => itemAt(['a', 'b'], index)).toThrow(new RangeError(`There is no item ${index} among 2.`));
});
