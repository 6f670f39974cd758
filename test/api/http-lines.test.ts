// Answers that are sent line by line: as fast as the client takes them, whole or broken off.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { afterEach, expect, it } from 'vitest';
import type { HttpServer } from '../../src/http/index.ts';
import { AppError, createLog } from '../../src/kernel/index.ts';
import { anEndpoint, httpServer } from '../support/apis/http-server.ts';
import { until } from '../support/clocks/until.ts';

const running: HttpServer[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.close(0))));

async function serving(lines: () => AsyncIterable<string>, written: string[] = []): Promise<HttpServer> {
  const line = Type.Object({ n: Type.Integer() }, { additionalProperties: false });
  const endpoint = anEndpoint({
    ...{ method: 'GET', responses: {}, streams: { line, description: 'Numbers.' } },
    handler: async () => ({ status: 200, lines: lines(), headers: { 'x-more': 'yes' } }),
  });
  const log = createLog('error', { write: (text: string) => written.push(text) });
  const server = httpServer([endpoint], { log });
  running.push(server);
  await server.listen();
  return server;
}

async function* numbers(count: number): AsyncGenerator<string> {
  for (let n = 0; n < count; n++) yield `{"n":${n}}\n`;
}

const open = async (server: HttpServer) => {
  const request = get(`${server.url}/platform/v2/things`);
  request.on('error', () => undefined);
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  return message;
};

it('come as NDJSON with the headers of the answer', async () => {
  const server = await serving(() => numbers(3));
  const answer = await fetch(`${server.url}/platform/v2/things`);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-more')]).toEqual([
    200,
    'application/x-ndjson; charset=utf-8',
    'yes',
  ]);
  expect(await answer.text()).toBe('{"n":0}\n{"n":1}\n{"n":2}\n');
});

it('are an answer too when there are none', async () => {
  const server = await serving(() => numbers(0));
  const answer = await fetch(`${server.url}/platform/v2/things`);
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});

it('are asked for no faster than the client takes them', async () => {
  let asked = 0;
  const text = `${'x'.repeat(64 * 1024)}\n`;
  async function* endless() {
    for (; asked < 10_000; asked++) yield text;
  }
  const server = await serving(endless);
  const answer = await open(server);
  answer.pause();
  // what the sockets hold, and no more: it stands still
  let [before, looks] = [-1, 0];
  await until(() => {
    looks = asked === before ? looks + 1 : 0;
    before = asked;
    return asked > 0 && looks === 10;
  });
  expect(asked).toBeLessThan(1000);
  answer.destroy();
});

it('are no longer asked for when the client goes away', async () => {
  let isOver = false;
  async function* endless() {
    try {
      for (;;) yield `${'x'.repeat(64 * 1024)}\n`;
    } finally {
      isOver = true;
    }
  }
  const answer = await open(await serving(endless));
  answer.destroy();
  await until(() => isOver);
});

it('are answered with an error when the first one fails', async () => {
  const nothing = new AppError('NOT_FOUND', 'There is nothing.');
  const refusing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(nothing) }) };
  const server = await serving(() => refusing);
  const answer = await fetch(`${server.url}/platform/v2/things`);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { statusCode: 404, errors: [{ message: 'There is nothing.' }] },
  ]);
});

it('are broken off and logged when a later one fails: nobody takes half for the whole', async () => {
  const written: string[] = [];
  async function* failing() {
    yield '{"n":0}\n';
    await new Promise((done) => setImmediate(done));
    throw new AppError('STORE_UNAVAILABLE', 'The store is gone.');
  }
  const server = await serving(failing, written);
  const answer = await open(server);
  await expect(once(answer.resume(), 'end')).rejects.toThrow('aborted');
  expect(written.join('')).toMatch(/"http\.broken_off"/);
  expect(written.join('')).toContain('The store is gone.');
});

it('stand in OpenAPI with what a line is', async () => {
  const server = await serving(() => numbers(1));
  const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
  const { description, content } = paths['/platform/v2/things'].get.responses[200];
  expect(description).toBe('Numbers.');
  expect(content['application/x-ndjson'].schema.properties).toEqual({ n: { type: 'integer' } });
});

it('may be the bytes of a file, with a type and size of their own', async () => {
  async function* parts() {
    yield Uint8Array.of(0, 255, 128);
    yield Uint8Array.of(10);
  }
  const endpoint = anEndpoint({
    ...{ method: 'GET', responses: {}, streams: { mediaType: 'application/zip', description: 'A file.' } },
    handler: async () => ({
      status: 200,
      file: parts(),
      headers: { 'content-type': 'application/zip', 'content-length': '4' },
    }),
  });
  const answer = await httpServer([endpoint]).inject({ url: '/platform/v2/things' });
  expect([answer.headers['content-type'], answer.headers['content-length']]).toEqual(['application/zip', '4']);
  expect([...answer.rawPayload]).toEqual([0, 255, 128, 10]);
});
