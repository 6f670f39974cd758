import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { compileSchema, rawNumber } from '../../../src/kernel/index.ts';

const closed = { additionalProperties: false } as const;
const MOST = 50;

describe('a schema', () => {
  it.each([
    ['a rule that nobody checks', { type: 'string', contains: 1 }, 'has rules that nobody checks: contains'],
    ['fields, but several types', { type: ['object', 'null'], properties: {} }, 'nobody checks: properties'],
    ['entries, but no type', { items: { type: 'string' } }, 'nobody checks: items'],
    ['a format that is not known', { type: 'string', format: 'uri' }, '"uri" is no format'],
    ['a type that is not known', { type: 'text' }, '"text" is no type'],
    ['two patterns of free keys', { type: 'object', patternProperties: { a: {}, b: {} } }, 'has one pattern'],
  ])('with %s lets nothing pass', (_what, schema, message) => {
    expect(() => compileSchema(schema)(1, MOST)).toThrow(message);
  });
});

describe('a check', () => {
  it('ends with the issues that it may return', () => {
    const check = compileSchema(Type.Array(Type.Object({ a: Type.String(), b: Type.String() }, closed)));
    const issues = check(
      Array.from({ length: 100_000 }, () => ({ a: 1, b: 2 })),
      3,
    );
    expect(issues.map(({ path }) => path)).toEqual(['[0].a', '[0].b', '[1].a']);
  });

  it('takes no field from a prototype', () => {
    const check = compileSchema(Type.Object({ a: Type.Optional(Type.String()) }, closed));
    expect(check(JSON.parse('{"__proto__":{"a":1}}'), MOST).map(({ path }) => path)).toEqual(['__proto__']);
  });

  it('takes a number with more digits than a double has for a number, and never for an object', () => {
    const digits = rawNumber('5.00000000000000000001');
    expect(compileSchema(Type.Object({}))(digits, MOST)).toEqual([
      { path: '', message: 'must be an object, is a number' },
    ]);
    expect(compileSchema(Type.Number())(digits, MOST)).toEqual([
      { path: '', message: 'must be a number of at most 15 digits, is 5.00000000000000000001' },
    ]);
  });

  it('asks the rules in code once the rest of the value fits', () => {
    const even = Type.Refine(
      Type.Integer(),
      (value) => value % 2 === 0,
      () => 'must be even',
    );
    const check = compileSchema(Type.Object({ even }, closed));
    expect(check({ even: 2 }, MOST)).toEqual([]);
    expect(check({ even: 1 }, MOST)).toEqual([{ path: 'even', message: 'must be even' }]);
    expect(check({ even: '1' }, MOST)).toEqual([{ path: 'even', message: 'must be a whole number, is text' }]);
  });

  it.each([
    ['a b', 'must have at most 2 characters, has 3'],
    ['😀😀', undefined],
    ['', 'must not be empty'],
  ])('counts the characters of %j as people do', (text, message) => {
    const issues = compileSchema(Type.String({ minLength: 1, maxLength: 2, pattern: '^.' }))(text, MOST);
    expect(issues.map((issue) => issue.message)).toEqual(message === undefined ? [] : [message]);
  });

  it('tries no pattern on a text once it has all issues that it may return', () => {
    // without stack for each of its characters, such a text would be a RangeError
    const check = compileSchema(Type.String({ maxLength: 253, pattern: '^[a-z](\\.[a-z]([a-z]*[a-z])?)*$' }));
    const text = `a${'.a'.repeat(4_000_000)}!`;
    expect(check(text, 1)).toEqual([{ path: '', message: 'must have at most 253 characters, has 8000002' }]);
  });

  it('names the first entry that stands there twice', () => {
    const check = compileSchema(Type.Array(Type.Unknown(), { uniqueItems: true }));
    expect(check([{ a: 1 }, 2, { a: 1 }, 2], MOST)).toEqual([
      { path: '', message: 'has the same entry at 0 and 2; each may stand there once' },
    ]);
  });
});

describe('a union', () => {
  const check = compileSchema(
    Type.Union([
      Type.Object({ kind: Type.Literal('file'), path: Type.String() }, closed),
      Type.Object({ kind: Type.Literal('host'), port: Type.Integer() }, closed),
      Type.Null(),
    ]),
  );

  it.each([
    [null, []],
    [{ kind: 'host', port: 1 }, []],
    [{ kind: 'host' }, [{ path: 'port', message: 'is required' }]],
    [{ kind: 'other' }, [{ path: '', message: 'is an object in none of the forms that are allowed here' }]],
    [{}, [{ path: '', message: 'is an object in none of the forms that are allowed here' }]],
    ['host', [{ path: '', message: 'must be an object or null, is text' }]],
  ])('judges %j by the branch that was meant', (value, issues) => {
    expect(check(value, MOST)).toEqual(issues);
  });
});
