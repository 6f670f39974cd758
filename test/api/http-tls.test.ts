import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpServer } from '../../src/http/index.ts';
import { createLog } from '../../src/kernel/index.ts';
import { anEndpoint, httpServer } from '../support/apis/http-server.ts';
import {
  CERTIFICATE,
  CERTIFICATE_KEY,
  OTHER_CERTIFICATE,
  OTHER_CERTIFICATE_KEY,
} from '../support/apis/localhost-certificate.ts';
import { fakeClock } from '../support/clocks/fake-clock.ts';
import { until } from '../support/clocks/until.ts';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of clean.splice(0).reverse()) await each();
});

async function certificateFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-tls-'));
  clean.push(() => rm(folder, { recursive: true }));
  const tls = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await writeFile(tls.certificate, CERTIFICATE);
  await writeFile(tls.key, CERTIFICATE_KEY);
  return tls;
}

async function listening(tls: { certificate: string; key: string }) {
  const clock = fakeClock();
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const rest = { port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 1024 };
  const config = { host: '127.0.0.1', ...rest, tls };
  const server = httpServer([anEndpoint({ method: 'GET', path: '/secure' })], { config, clock, log });
  clean.push(() => server.close(0));
  await server.listen();
  return { server, clock, lines };
}

const portOf = (server: HttpServer) => Number(new URL(server.url).port);

/** The certificate that a new connection is shown. */
async function shownBy(server: HttpServer): Promise<string> {
  const socket: TLSSocket = connect({ port: portOf(server), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return raw.toString('base64');
}

const derOf = (pem: string) => pem.replace(/-----[^-]+-----|\n/g, '');

describe('with a certificate', () => {
  test('the API speaks HTTPS, to who trusts it, and says so in its address', async () => {
    const { server } = await listening(await certificateFiles());
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const call = request({ port: portOf(server), path: '/healthz', ca: CERTIFICATE, servername: 'localhost' }).end();
    const [answer] = await once(call, 'response');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d{8}$/);
    answer.resume();
    const stranger = request({ port: portOf(server), path: '/healthz', servername: 'localhost' }).end();
    await expect(once(stranger, 'response')).rejects.toThrow('self-signed');
  });

  test('it does not speak plain HTTP', async () => {
    const { server } = await listening(await certificateFiles());
    await expect(fetch(server.url.replace('https', 'http'))).rejects.toThrow();
  });

  test('a renewed one is served within seconds to new connections', async () => {
    const tls = await certificateFiles();
    const { server, clock } = await listening(tls);
    expect(await shownBy(server)).toBe(derOf(CERTIFICATE));
    await writeFile(tls.certificate, OTHER_CERTIFICATE);
    await writeFile(tls.key, OTHER_CERTIFICATE_KEY);
    expect(await shownBy(server)).toBe(derOf(CERTIFICATE));
    await until(async () => {
      clock.advance(10_000);
      return (await shownBy(server)) === derOf(OTHER_CERTIFICATE);
    });
  });

  test('one whose key is not there yet changes nothing, and is served once it is', async () => {
    const tls = await certificateFiles();
    const { server, clock, lines } = await listening(tls);
    await writeFile(tls.certificate, OTHER_CERTIFICATE);
    await until(async () => {
      clock.advance(10_000);
      expect(await shownBy(server)).toBe(derOf(CERTIFICATE));
      return lines.some((line) => line.includes('http.certificate-unreadable'));
    });
    await writeFile(tls.key, OTHER_CERTIFICATE_KEY);
    await until(async () => {
      clock.advance(10_000);
      return (await shownBy(server)) === derOf(OTHER_CERTIFICATE);
    });
  });
});

describe('a start is refused, naming the setting', () => {
  const start = (tls: { certificate: string; key: string }) => () => {
    const rest = { port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 1024 };
    httpServer([], { config: { host: '127.0.0.1', ...rest, tls } });
  };

  test('without the file', async () => {
    const tls = await certificateFiles();
    expect(start({ ...tls, key: `${tls.key}.absent` })).toThrow(/^PENSTOCK_TLS_KEY: .*absent cannot be read/);
  });

  test('with a key of another certificate', async () => {
    const tls = await certificateFiles();
    await writeFile(tls.key, OTHER_CERTIFICATE_KEY);
    expect(start(tls)).toThrow(/^PENSTOCK_TLS_CERTIFICATE .* are not a matching pair/);
  });

  test('with a file that is no PEM', async () => {
    const tls = await certificateFiles();
    await writeFile(tls.certificate, 'hello');
    expect(start(tls)).toThrow(/^PENSTOCK_TLS_CERTIFICATE .* are not a matching pair/);
  });
});
