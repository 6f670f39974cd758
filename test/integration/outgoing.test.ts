// Calls of URLs that somebody gave us, over real sockets with TLS.
import { describe, expect, test } from 'vitest';
import { createSelfSigned } from '../../src/dsr/certificates/create-self-signed.ts';
import { createOutgoing } from '../../src/http/outgoing/create-outgoing.ts';
import { openReceiver, type Respond } from '../support/apis/https-receiver.ts';
import { CERTIFICATE } from '../support/apis/localhost-certificate.ts';

const outgoing = createOutgoing({ allowedHosts: ['localhost'], ca: CERTIFICATE });
const BODY = Buffer.from('{"a":1}');
const post = (url: string) => ({ url, method: 'POST' as const, body: BODY });
const redirect =
  (location: string, status = 307): Respond =>
  (_received, response) =>
    void response.writeHead(status, { location }).end();

describe('a call', () => {
  test('sends method, headers and body as they are, and answers what comes', async () => {
    await using receiver = await openReceiver({
      respond: (_received, response) => void response.writeHead(418, { 'x-tea': 'green' }).end('short and stout'),
    });
    const answer = await outgoing.call({ ...post(`${receiver.url}/hook?a=b`), headers: { 'x-one': '1' } });
    expect(answer).toMatchObject({ status: 418, headers: { 'x-tea': 'green' }, body: 'short and stout' });
    expect(receiver.received).toMatchObject([
      { method: 'POST', path: '/hook?a=b', headers: { 'x-one': '1' }, body: BODY },
    ]);
  });

  test('goes to the address that was checked, whatever the name leads to a moment later', async () => {
    const { certificate, privateKey } = await createSelfSigned('turning.example', Date.now());
    await using receiver = await openReceiver({ pair: { cert: certificate, key: privateKey } });
    const answers = [['127.0.0.1'], ['203.0.113.9']];
    const guard = createOutgoing({
      ...{ allowedHosts: ['127.0.0.1'], ca: certificate },
      // the second answer would be taken by whoever asks again
      resolve: async () => answers.shift() ?? [],
    });
    const { status } = await guard.call(post(`https://opendsr.turning.example:${receiver.port}/`));
    expect(status).toBe(202);
    expect(answers).toHaveLength(1);
  });

  test('reaches nobody on this machine who is not named', async () => {
    await using receiver = await openReceiver();
    const guard = createOutgoing({ allowedHosts: [], ca: CERTIFICATE });
    for (const host of ['localhost', '127.0.0.1', '2130706433', '[::ffff:7f00:1]']) {
      const call = guard.call(post(`https://${host}:${receiver.port}/`));
      await expect(call).rejects.toMatchObject({ code: 'CALL_REFUSED' });
    }
    expect(receiver.received).toEqual([]);
  });

  test('fails where the certificate is of nobody it trusts', async () => {
    await using receiver = await openReceiver();
    const trusting = createOutgoing({ allowedHosts: ['localhost'] });
    await expect(trusting.call(post(receiver.url))).rejects.toMatchObject({ code: 'CALL_FAILED' });
    expect(receiver.received).toEqual([]);
  });

  test('fails where the certificate is for another name', async () => {
    await using receiver = await openReceiver();
    const guard = createOutgoing({ allowedHosts: ['127.0.0.1'], ca: CERTIFICATE });
    const call = guard.call(post(`https://127.0.0.1:${receiver.port}/`));
    await expect(call).rejects.toMatchObject({ code: 'CALL_FAILED' });
  });

  test('fails where nobody listens', async () => {
    const { port } = await openAndClose();
    await expect(outgoing.call(post(`https://localhost:${port}/`))).rejects.toMatchObject({ code: 'CALL_FAILED' });
  });
});

describe('time and size', () => {
  test('a receiver that never answers is left after the time of the call', async () => {
    await using receiver = await openReceiver({ respond: () => undefined });
    const call = outgoing.call({ ...post(receiver.url), timeoutMs: 300 });
    await expect(call).rejects.toMatchObject({ code: 'CALL_FAILED', message: expect.stringContaining('within 0.3 s') });
  });

  test('a receiver whose answer drips is left after the time of the call', async () => {
    await using receiver = await openReceiver({
      respond(_received, response) {
        response.writeHead(200);
        const drip = setInterval(() => response.write('.'), 20);
        response.once('close', () => clearInterval(drip));
      },
    });
    const call = outgoing.call({ ...post(receiver.url), timeoutMs: 400 });
    await expect(call).rejects.toMatchObject({ code: 'CALL_FAILED' });
  });

  test('redirects share the time of the call', async () => {
    await using receiver = await openReceiver({
      respond({ path }, response) {
        setTimeout(() => response.writeHead(307, { location: `${path}x` }).end(), 150);
      },
    });
    const call = outgoing.call({ ...post(receiver.url), timeoutMs: 250 });
    await expect(call).rejects.toMatchObject({ code: 'CALL_FAILED' });
  });

  test('of an endless answer 64 KiB are read, and the connection is closed', async () => {
    let closed: (() => void) | undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    await using receiver = await openReceiver({
      respond(_received, response) {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
        };
        response.on('drain', more);
        response.once('close', () => closed?.());
        more();
      },
    });
    const { body } = await outgoing.call(post(receiver.url));
    expect(body).toHaveLength(65_536);
    await isClosed;
  });

  test('headers without end fail', async () => {
    await using receiver = await openReceiver({
      respond: (_received, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
    });
    await expect(outgoing.call(post(receiver.url))).rejects.toMatchObject({ code: 'CALL_FAILED' });
  });

  test('a receiver that changes the protocol fails the call at once', async () => {
    const odd = 'HTTP/1.1 101 Odd\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    await using receiver = await openReceiver({ respond: (_, { socket }) => void socket?.write(odd) });
    await expect(outgoing.call(post(receiver.url))).rejects.toMatchObject({
      code: 'CALL_FAILED',
      message: 'The host "localhost" gave no answer: ECONNRESET.',
    });
  });

  test('who calls may break it off', async () => {
    const abort = new AbortController();
    await using receiver = await openReceiver({ respond: () => abort.abort() });
    const call = outgoing.call({ ...post(receiver.url), signal: abort.signal });
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a redirect', () => {
  test.each([301, 302, 307, 308])('with %s is followed with method and body', async (status) => {
    await using target = await openReceiver();
    await using receiver = await openReceiver({ respond: redirect(`${target.url}/there`, status) });
    expect((await outgoing.call(post(receiver.url))).status).toBe(202);
    expect(target.received).toMatchObject([{ method: 'POST', path: '/there', body: BODY }]);
  });

  test('with 303, which asks for another request, is the answer', async () => {
    await using target = await openReceiver();
    await using receiver = await openReceiver({ respond: redirect(target.url, 303) });
    expect((await outgoing.call(post(receiver.url))).status).toBe(303);
    expect(target.received).toEqual([]);
  });

  test.each([
    ['a private address', 'https://10.0.0.1/'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data/'],
    ['loopback in decimal', 'https://2130706433/'],
    ['what only looks like ours', 'https://localhost@127.0.0.1/'],
    ['http', 'http://localhost/'],
    ['a file', 'file:///etc/passwd'],
    ['no URL', 'https://['],
  ])('to %s is refused', async (_what, location) => {
    await using receiver = await openReceiver({ respond: redirect(location) });
    await expect(outgoing.call(post(receiver.url))).rejects.toMatchObject({ code: 'CALL_REFUSED' });
  });

  test('to a name that leads inside is refused', async () => {
    await using inner = await openReceiver();
    await using receiver = await openReceiver({ respond: redirect(`https://inner.example:${inner.port}/`) });
    const guard = createOutgoing({
      ...{ allowedHosts: ['localhost'], ca: CERTIFICATE },
      resolve: async () => ['127.0.0.1'],
    });
    await expect(guard.call(post(receiver.url))).rejects.toMatchObject({ code: 'CALL_REFUSED' });
    expect(inner.received).toEqual([]);
  });

  test('that never ends is left after three', async () => {
    await using receiver = await openReceiver({ respond: redirect('/again') });
    await expect(outgoing.call(post(receiver.url))).rejects.toMatchObject({ code: 'CALL_REFUSED' });
    expect(receiver.received).toHaveLength(4);
  });

  test('within the host takes credentials along, and one to another leaves them behind for good', async () => {
    const seen: (string | undefined)[] = [];
    await using back = await openReceiver({
      respond({ headers, path }, response) {
        seen.push(headers.authorization);
        if (path === '/1') response.writeHead(307, { location: '/2' });
        else if (path === '/2') response.writeHead(307, { location: away.url });
        else response.writeHead(202);
        response.end();
      },
    });
    await using away = await openReceiver({
      respond({ headers }, response) {
        seen.push(headers.authorization);
        response.writeHead(307, { location: `${back.url}/3` }).end();
      },
    });
    const credentials = { authorization: 'Basic c2VjcmV0' };
    const { status } = await outgoing.call({ ...post(`${back.url}/1`), headers: { 'x-one': '1' }, credentials });
    expect(status).toBe(202);
    expect(seen).toEqual([credentials.authorization, credentials.authorization, undefined, undefined]);
    expect(back.received.at(-1)?.headers['x-one']).toBe('1');
  });
});

async function openAndClose(): Promise<{ readonly port: number }> {
  await using receiver = await openReceiver();
  return { port: receiver.port };
}
