import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEveryValue, parseJson } from '../../../src/kernel/index.ts';

describe('parsing every value of a JSON text', () => {
  it.each([
    ['a repeated field', '{"a":1,"a":"x"}', { a: [1, 'x'] }],
    [
      'repeated objects',
      '{"a":{"b":1},"a":{"b":2,"c":[{"d":3,"d":4}]}}',
      { a: [{ b: 1 }, { b: 2, c: [{ d: [3, 4] }] }] },
    ],
    ['names that are written in two ways', '{"a":1,"\\u0061":2}', { a: [1, 2] }],
    ['numbers beyond 2^53', '{"a":6893488147419103233,"a":null}', { a: [6893488147419103233n, null] }],
    ['braces, colons and quotes within texts', '{"a:{\\"":"},:[","b":["]\\\\"]}', { 'a:{"': '},:[', b: [']\\'] }],
    ['empty lists, objects and names', '[{},[],{"":{}}, ""]', [{}, [], { '': {} }, '']],
    ['a single value', ' "c-55" ', 'c-55'],
  ])('keeps %s', (_, text, value) => {
    expect(parseEveryValue(text)).toEqual(value);
  });

  it('reads what has no repeated field as parseJson does', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, spaced) => {
        const written = spaced ? JSON.stringify(JSON.parse(text), null, 1) : text;
        expect(parseEveryValue(written)).toEqual(parseJson(written));
      }),
    );
  });

  it('needs no stack for what lies deep', () => {
    const depth = 200_000;
    expect(() => parseEveryValue(`${'['.repeat(depth)}${']'.repeat(depth)}`)).not.toThrow();
  });

  it('needs no stack for escapes, digits and spaces, however many', () => {
    const most = 4_000_000;
    const text = JSON.stringify({ a: '\n'.repeat(most), b: `\\${'"'.repeat(9)}` });
    expect(parseEveryValue(text)).toEqual(JSON.parse(text));
    expect(parseEveryValue(`[0.${'1'.repeat(most)},${' '.repeat(most)}true]`)).toHaveLength(2);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseEveryValue('{"a":1,}')).toThrow(SyntaxError);
  });
});
