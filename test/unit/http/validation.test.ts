import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Int64 } from '../../../src/http/index.ts';
import { anEndpoint, httpServer } from '../../support/apis/http-server.ts';

const closed = { additionalProperties: false } as const;
const BODY = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 20, pattern: '^[\\w-]+$', meaning: 'letters, digits, "_" and "-"' }),
    state: Type.Union([Type.Literal('new'), Type.Literal('active')]),
    active: Type.Optional(Type.Boolean()),
    feed: Type.Optional(Type.Union([Int64(), Type.Null()])),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    start: Type.Optional(Type.String({ format: 'date-time' })),
    config: Type.Optional(Type.Object({ sql_query: Type.String(), 'odd name': Type.Optional(Type.String()) }, closed)),
    attributes: Type.Optional(Type.Array(Type.Object({ id: Type.String() }, closed), { maxItems: 3 })),
    free: Type.Optional(Type.Unknown()),
    target: Type.Optional(
      Type.Union([
        Type.Object({ kind: Type.Literal('file'), path: Type.String() }, closed),
        Type.Object({ kind: Type.Literal('host'), port: Type.Integer() }, closed),
        Type.Null(),
      ]),
    ),
    value: Type.Optional(Type.Union([Type.String(), Type.Boolean()])),
  },
  closed,
);

const server = httpServer([anEndpoint({ body: BODY, ignoredFields: ['created_on'] })]);

async function post(payload: string) {
  const headers = { 'content-type': 'application/json' };
  const response = await server.inject({ method: 'POST', url: '/platform/v2/things', headers, payload });
  const body = JSON.parse(response.body) as { errors?: { message: string }[] };
  return { status: response.statusCode, text: response.body, messages: body.errors?.map(({ message }) => message) };
}

const valid = (rest = '') => `{"id":"a","state":"new"${rest === '' ? '' : `,${rest}`}}`;

describe('a body', () => {
  it('reaches the handler as it was written, nothing stripped, coerced or defaulted', async () => {
    const text = valid('"free":{"unknown":[1,"1",null,12345678901234567890,1.10]},"feed":9223372036854775807');
    expect(await post(text)).toMatchObject({ status: 200, text: text.replace('1.10', '1.1') });
  });

  // Fastify's own validator strips the field and turns "5" into 5 and "true" into true
  it.each([
    [
      '"extra":1',
      'extra: is not a field of this object; known are id, state, active, feed, size, start, config, attributes, free, target, value',
    ],
    [
      '"config":{"sql_query":"x","extra":1}',
      'config.extra: is not a field of this object; known are sql_query, odd name',
    ],
    ['"size":"5"', 'size: must be a whole number, is text'],
    ['"active":"true"', 'active: must be true or false, is text'],
    ['"start":5', 'start: must be text, is a number; the text must be a time with a zone such as 2024-01-31T00:00:00Z'],
    ['"active":null', 'active: must be true or false, is null'],
    ['"config":{"sql_query":5}', 'config.sql_query: must be text, is a number'],
    ['"config":{"sql_query":"x","odd name":1}', 'config["odd name"]: must be text, is a number'],
    ['"config":{}', 'config.sql_query: is required'],
    ['"config":[]', 'config: must be an object, is a list'],
    ['"config":1.00000000000000000001', 'config: must be an object, is a number'],
    ['"attributes":[{"id":"a"},{"id":1}]', 'attributes[1].id: must be text, is a number'],
    ['"attributes":[{},{},{},{}]', 'attributes: must have at most 3 entries, has 4'],
    ['"size":11', 'size: must be at most 10, is 11'],
    ['"size":1.5', 'size: must be a whole number, is 1.5'],
    ['"size":12345678901234567890', 'size: must be a whole number of at most 15 digits, is 12345678901234567890'],
    ['"size":5.00000000000000000001', 'size: must be a whole number of at most 15 digits, is 5.00000000000000000001'],
    ['"start":"2024-01-01"', 'start: must be a time with a zone such as 2024-01-31T00:00:00Z, is "2024-01-01"'],
    ['"feed":"5"', 'feed: must be a whole number of 64 bits, is text'],
    ['"feed":9223372036854775808', 'feed: must be a whole number of 64 bits, is 9223372036854775808'],
    ['"target":{"kind":"file","port":1}', 'target.path: is required'],
    ['"target":{"kind":"host","port":"1"}', 'target.port: must be a whole number, is text'],
    ['"target":5', 'target: must be an object or null, is a number'],
    ['"value":5', 'value: must be text or true or false, is a number'],
  ])('with %s is refused: %s', async (field, message) => {
    const { status, messages } = await post(valid(field));
    expect(status).toBe(400);
    expect(messages).toContain(message);
  });

  it.each([
    ['{"state":"new"}', ['id: is required']],
    ['{"id":"a b","state":"new"}', ['id: must be letters, digits, "_" and "-", is "a b"']],
    ['{"id":"a","state":"old"}', ['state: must be one of new, active, is "old"']],
    ['[]', ['must be an object, is a list']],
    ['null', ['must be an object, is null']],
  ])('%s is refused', async (text, messages) => {
    expect(await post(text)).toMatchObject({ status: 400, messages });
  });

  it('is not written out in the answer, however long its numbers and names are', async () => {
    const [digits, name] = ['9'.repeat(50_000), 'n'.repeat(50_000)];
    const fields = [`"size":${digits}`, `"feed":${digits}`, `"size":1.${digits}`, `"state":${digits}`, `"${name}":1`];
    for (const field of fields) expect((await post(valid(field))).messages?.join().length).toBeLessThan(300);
    expect((await post(valid(`"feed":${digits}`))).messages).toEqual([
      'feed: must be a whole number of 64 bits, is a number of 50000 characters',
    ]);
  });

  it('has all its issues listed in one answer', async () => {
    const { messages } = await post('{"id":"","state":"old","size":0,"extra":1}');
    expect(messages?.map((message) => message.split(':')[0])).toEqual(['extra', 'id', 'state', 'size']);
  });

  it('loses its read-only fields before it is looked at', async () => {
    expect(await post(valid('"created_on":"2024","size":1'))).toMatchObject({ status: 200, text: valid('"size":1') });
  });

  it('may not smuggle in fields by the names of inherited ones', async () => {
    const { messages } = await post(valid('"__proto__":{"id":"b"},"constructor":1'));
    expect(messages?.map((message) => message.split(':')[0])).toEqual(['__proto__', 'constructor']);
  });

  it('with thousands of wrong entries is answered with the first fifty', async () => {
    const entries = Array.from({ length: 5000 }, () => 1).join(',');
    const { messages } = await post(valid(`"free":[],"attributes":[${entries}]`));
    expect(messages?.length).toBeLessThanOrEqual(51);
    expect(messages?.at(-1)).toMatch(/^and at least \d+ more$/);
  });

  it('larger than 256 KiB is answered with its first issue', async () => {
    const big = httpServer([anEndpoint({ body: BODY })], {
      config: { host: '127.0.0.1', port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 1 << 20 },
    });
    const payload = `{"x":1,"y":2,"z":"${'a'.repeat(300_000)}"}`;
    const headers = { 'content-type': 'application/json' };
    const response = await big.inject({ method: 'POST', url: '/platform/v2/things', headers, payload });
    expect(JSON.parse(response.body).errors).toHaveLength(1);
  });

  it.each([
    ['"free":{"a":["\\u0000"]}', 'free.a[0]: contains the character U+0000, which cannot be stored; remove it'],
    ['"free":"x\\ud800y"', 'free: contains half of a surrogate pair, which cannot be stored; remove it'],
    ['"free":"\\uDC00"', 'free: contains half of a surrogate pair, which cannot be stored; remove it'],
    [
      '"free":{"a\\u0000":1}',
      'free["a\\u0000"]: has a name with the character U+0000, which cannot be stored; rename it',
    ],
  ])('with %s is refused, because PostgreSQL cannot hold it', async (field, message) => {
    expect(await post(valid(field))).toMatchObject({ status: 400, messages: [message] });
  });

  it('may hold an escaped backslash before u0000 and whole surrogate pairs', async () => {
    expect(await post(valid('"free":"\\\\u0000 \\ud83d\\ude00"'))).toMatchObject({ status: 200 });
  });
});

describe('a schema of a body', () => {
  it('that does not say whether an object is closed stops the daemon at its start', () => {
    const body = Type.Object({ config: Type.Object({}) }, closed);
    expect(() => httpServer([anEndpoint({ body })])).toThrow(/things\.config does not say additionalProperties/);
  });
});
