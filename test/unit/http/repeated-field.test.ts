import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatedField } from '../../../src/http/body/repeated-field.ts';
import { parseJson } from '../../../src/kernel/index.ts';

const find = (text: string) => repeatedField(text, parseJson(text));

describe('a field given twice', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1, "b":{"c":[0,{"d":1,"d":2}]}}', 'b.c[1].d'],
    ['[{"a":1},{"a":1,"b":"x,{","a":2}]', '[1].a'],
    ['{"a":"\\"a\\":","\\u0061":2}', 'a'],
    ['{"x" : 1,\n"x"\t: 1}', 'x'],
    ['{"odd name":1,"odd name":2}', '["odd name"]'],
    ['{"":1,"":2}', '[""]'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":{"b":1},"c":{"b":1},"a":3}', 'a'],
    ['{"a\\\\":1,"b":"\\\\","a\\\\":2}', '["a\\\\"]'],
  ])('in %s is %s', (text, path) => {
    expect(find(text)).toBe(path);
  });

  it.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"n":12345678901234567890,"m":0.12345678901234567890}',
    '1',
    '"a"',
  ])('is not in %s', (text) => {
    expect(find(text)).toBeUndefined();
  });

  it('is found wherever it stands, and never where there is none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (outer, inner, name) => {
        const key = JSON.stringify(name);
        const value = JSON.stringify(inner);
        expect(find(JSON.stringify(outer, null, 1))).toBeUndefined();
        expect(find(`[${JSON.stringify(outer)},{${key}:${value},${key} :${value}}]`)).toMatch(/^\[1\]/);
      }),
    );
  });
});
