import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrayReader, compositeReader } from '../../../connectors/redshift/nested.ts';

const text = (value: string) => value;

/** array_out: quotes where they are needed, a backslash before quotes and backslashes. */
function writeArray(items: readonly unknown[]): string {
  const written = items.map((item) => {
    if (Array.isArray(item)) return writeArray(item);
    if (item === null) return 'NULL';
    const value = String(item);
    const isPlain = value !== '' && value.toUpperCase() !== 'NULL' && !/[{}",\\\s]/.test(value);
    return isPlain ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${written.join(',')}}`;
}

/** record_out: quotes where they are needed, quotes and backslashes doubled. */
function writeRow(items: readonly (string | null)[]): string {
  const written = items.map((item) => {
    if (item === null) return '';
    return item !== '' && !/[(),"\\\s]/.test(item) ? item : `"${item.replace(/["\\]/g, '$&$&')}"`;
  });
  return `(${written.join(',')})`;
}

const difficult = fc.string({
  unit: fc.constantFrom('a', ',', '{', '}', '(', ')', '"', '\\', ' ', 'NULL', '😀', '\n'),
});
const item = fc.option(difficult, { nil: null });

describe('an array', () => {
  it('is read as the server writes it', () => {
    fc.assert(
      fc.property(fc.array(item), (items) => {
        expect(arrayReader(text, ',')(writeArray(items))).toEqual(items);
      }),
    );
  });

  it('of arrays is, too', () => {
    fc.assert(
      fc.property(fc.array(fc.array(item, { minLength: 1 }), { minLength: 1 }), (rows) => {
        expect(arrayReader(text, ',')(writeArray(rows))).toEqual(rows);
      }),
    );
  });

  it('with bounds or another delimiter, too', () => {
    expect(arrayReader(Number, ',')('[2:3][0:1]={{1,2},{3,NULL}}')).toEqual([
      [1, 2],
      [3, null],
    ]);
    expect(arrayReader(text, ';')('{(1,2),(3,4);(5,6),(7,8)}')).toEqual(['(1,2),(3,4)', '(5,6),(7,8)']);
  });

  it.each(['', '1,2', '{1', '{"a', '{"a"x}', '{1 2'])('that is none is refused: %j', (value) => {
    expect(() => arrayReader(text, ',')(value)).toThrow(expect.objectContaining({ code: 'WAREHOUSE_DATA' }));
  });
});

describe('a composite', () => {
  it('is read as the server writes it', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
        const attributes = items.map((_, index) => ({ name: `a${index}`, read: text }));
        const { entries } = compositeReader(attributes)(writeRow(items));
        expect(entries).toEqual(items.map((value, index) => [`a${index}`, value]));
      }),
    );
  });

  it.each(['', '(1', '(1,2)', '1)'])('that is none is refused: %j', (value) => {
    const read = compositeReader([{ name: 'a', read: text }]);
    expect(() => read(value)).toThrow(expect.objectContaining({ code: 'WAREHOUSE_DATA' }));
  });
});
