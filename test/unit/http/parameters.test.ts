import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Int64, PageQuery } from '../../../src/http/index.ts';
import { stringifyJson } from '../../../src/kernel/index.ts';
import { anEndpoint, httpServer } from '../../support/apis/http-server.ts';

const query = Type.Object({
  preventResets: Type.Boolean({ default: true }),
  provider: Type.Optional(Type.Union([Type.Literal('Alpha'), Type.Literal('Beta')])),
  share: Type.Optional(Type.Number()),
  number: Type.Optional(Int64()),
  ...PageQuery.properties,
});
const lenient = (['events', 'identity', 'dsr', 'oauth', 'analytics'] as const).map((api) =>
  anEndpoint({ api, method: 'GET', path: `/${api}` }),
);
const server = httpServer([
  ...lenient,
  anEndpoint({ api: 'platform_v1', method: 'GET', path: '/platform/v1/nothing' }),
  anEndpoint({
    method: 'GET',
    path: '/platform/v2/runs/:runId',
    params: Type.Object({ runId: Int64() }),
    query,
    handler: async ({ params, query: values }) => ({ status: 200, body: { params, query: values } }),
  }),
]);

async function get(path: string) {
  const response = await server.inject(`/platform/v2/runs/${path}`);
  const body = JSON.parse(response.body);
  const messages = (body.errors as { message: string }[] | undefined)?.map(({ message }) => message);
  return { status: response.statusCode, text: response.body, query: body.query, messages };
}

describe('a query parameter', () => {
  it('becomes what its schema says', async () => {
    const { query: values } = await get('1?currentPage=2&pageSize=50&preventResets=false&share=0.5&provider=Beta');
    expect(values).toEqual({ currentPage: 2, pageSize: 50, preventResets: false, share: 0.5, provider: 'Beta' });
  });

  it('that is absent or empty gets its default', async () => {
    const { query: values } = await get('1?currentPage=&preventResets=&provider=');
    expect(values).toEqual({ currentPage: 1, pageSize: 100, preventResets: true });
  });

  it('that is unknown is refused on the platform API, with the known ones named', async () => {
    const known = 'currentPage, pageSize, startDate, endDate';
    expect(await get('1?debug=1&debug=2&page_size=x&pageSize=2')).toMatchObject({
      status: 400,
      messages: [
        expect.stringMatching(`^debug: is not a parameter here; known are .*${known}`),
        expect.stringMatching(`^page_size: is not a parameter here; known are .*${known}`),
      ],
    });
    expect(await get('1?__proto__=x&%22%0A=1')).toMatchObject({
      status: 400,
      messages: [expect.any(String), expect.any(String)],
    });
    const response = await server.inject('/platform/v1/nothing?x=1');
    expect(JSON.parse(response.body)).toMatchObject({
      errors: [{ message: 'x: is not a parameter here; there are none' }],
    });
  });

  it.each(['events', 'identity', 'dsr', 'oauth', 'analytics'])(
    'that is unknown is ignored on the API %s',
    async (api) => {
      expect(await server.inject(`/${api}?debug=1`)).toMatchObject({ statusCode: 200 });
    },
  );

  it('keeps all digits of a 64-bit integer', async () => {
    const { text } = await get('9223372036854775807?number=-9223372036854775808');
    expect(text).toContain('"runId":9223372036854775807');
    expect(text).toContain('"number":-9223372036854775808');
  });

  it.each([
    ['1?pageSize=1001', 'pageSize: must be at most 1000, is 1001'],
    ['1?pageSize=0', 'pageSize: must be at least 1, is 0'],
    ['1?pageSize=0x10', 'pageSize: must be a whole number, is "0x10"'],
    ['1?pageSize=1e2', 'pageSize: must be a whole number, is "1e2"'],
    ['1?pageSize=%201', 'pageSize: must be a whole number, is " 1"'],
    ['1?pageSize=9007199254740993', 'pageSize: must be a whole number, is "9007199254740993"'],
    ['1?preventResets=yes', 'preventResets: must be true or false, is "yes"'],
    ['1?share=many', 'share: must be a number such as 1 or 1.5, is "many"'],
    ['1?provider=Gamma', 'provider: must be one of Alpha, Beta, is "Gamma"'],
    ['1?pageSize=1&pageSize=2', 'pageSize: is given more than once; give it once'],
    ['1?provider=%00', 'provider: contains the character U+0000; remove it'],
    ['1?number=9223372036854775808', 'number: must be a whole number of 64 bits, is "9223372036854775808"'],
    ['one', 'runId: must be a whole number of 64 bits, is "one"'],
  ])('%s is refused: %s', async (path, message) => {
    expect(await get(path)).toMatchObject({ status: 400, messages: [message] });
  });

  it('is refused together with all others that are wrong', async () => {
    const { messages } = await get('x?pageSize=0&preventResets=x');
    expect(messages?.map((message) => message.split(':')[0])).toEqual(['runId', 'preventResets', 'pageSize']);
  });
});

describe('a path parameter', () => {
  it('is decoded, and refused where it holds what cannot be stored', async () => {
    const named = httpServer([
      anEndpoint({
        method: 'GET',
        path: '/platform/v2/things/:id',
        params: Type.Object({ id: Type.String() }),
        handler: async ({ params }) => ({ status: 200, body: params }),
      }),
    ]);
    expect((await named.inject('/platform/v2/things/a%20b%C3%BC')).body).toBe(stringifyJson({ id: 'a bü' }));
    expect((await named.inject('/platform/v2/things/a%00')).statusCode).toBe(400);
    expect((await named.inject('/platform/v2/things/%ff')).statusCode).toBe(400);
    expect((await named.inject(`/platform/v2/things/${'a'.repeat(600)}`)).statusCode).toBe(404);
  });
});
