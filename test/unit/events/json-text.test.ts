import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { itemTexts, onOneLine, withoutFields } from '../../../src/events/accept/json-text.ts';

const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/);

/** JSON text of a value with white space between its parts. */
function spaced(value: unknown, gap: string): string {
  return JSON.stringify(value, null, gap.length > 0 ? 1 : 0).replace(/\n/g, `\n${gap}`);
}

describe('the items of a list', () => {
  test('keep their own text, digits and spaces included', () => {
    expect(itemTexts(' [ {"a": 1.50}, [1 ,2],"x\\"]" , 1e3,true , null] ')).toEqual([
      '{"a": 1.50}',
      '[1 ,2]',
      '"x\\"]"',
      '1e3',
      'true',
      'null',
    ]);
    expect(itemTexts('[ ]')).toEqual([]);
  });

  test('are those of the parsed list, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), space, (values, gap) => {
        const text = gap + spaced(values, gap);
        expect(itemTexts(text).map((item) => JSON.parse(item))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('an object without some of its fields', () => {
  test.each([
    ['{"a":1,"mpid":9223372036854775807,"b":[{"mpid":2}]}', '{"a":1,"b":[{"mpid":2}]}'],
    ['{"mpid":1}', '{}'],
    ['{ "mpid" : 1 , "a" : "}\\\\" }', '{"a" : "}\\\\"}'],
    ['{"\\u006dpid":1,"a":1.50}', '{"a":1.50}'],
    ['{}', '{}'],
  ])('%s', (text, left) => {
    expect(withoutFields(text, ['mpid'])).toBe(left);
  });

  test('is the parsed object without them, whatever it holds', () => {
    fc.assert(
      // no name that ends in a backslash: JSON.parse of Node 24 takes the name `"` for a `\\` it has seen in the same place
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'mpid', '"', '\\n'), fc.jsonValue()), space, (value, gap) => {
        const { mpid: _gone, ...left } = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(withoutFields(spaced(value, gap), ['mpid']))).toEqual(left);
      }),
    );
  });
});

describe('one line', () => {
  test('keeps the text where there is one', () => {
    const text = '{"a": 1.50, "b": "\\n"}';
    expect(onOneLine(text)).toBe(text);
  });

  test('holds the same value, digit by digit', () => {
    expect(onOneLine('{\n  "a b": 1.50,\r\n\t"c \\" d": [ "\\n", 9223372036854775807 ]\n}')).toBe(
      '{"a b":1.50,"c \\" d":["\\n",9223372036854775807]}',
    );
  });
});
