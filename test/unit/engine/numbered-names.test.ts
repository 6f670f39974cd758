import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberedNames } from '../../../src/engine/write-back/numbered-names.ts';

test('names are numbered in the order they come, each once, and are given back as they were', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', '😀', '\0') });
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const names = new NumberedNames();
      const distinct = [...new Set(texts)];
      expect(texts.map((name) => names.numberOf(name))).toEqual(texts.map((name) => distinct.indexOf(name)));
      expect(distinct.map((_, number) => names.name(number))).toEqual(distinct);
      expect(names.count).toBe(distinct.length);
      expect(names.bytes).toBe(Buffer.byteLength(distinct.join('')));
    }),
  );
});

test('names are numbered by the thousand, however long', () => {
  const names = new NumberedNames();
  const texts = Array.from({ length: 5000 }, (_, n) => `${n}`.repeat(1 + (n % 40)));
  const distinct = [...new Set(texts)];
  for (const text of [...texts, ...texts]) names.numberOf(text);
  expect(names.count).toBe(distinct.length);
  for (const [number, text] of distinct.entries()) expect(names.name(number)).toBe(text);
});
