// Rules for the container files, which no test of this machine can run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../bin/node-flags.mjs';
import { SETTINGS } from '../../src/config.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/apis/localhost-certificate.ts';
import { ROOT } from './source-tree.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('docker-compose.yml');

describe('the Dockerfile', () => {
  const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  const healthCheck = (): string[] => JSON.parse(/^HEALTHCHECK[^\n]*\\\n\s+CMD (\[.*\])$/m.exec(final)?.[1] ?? '');

  test('stands on the Node that Penstock runs on', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(bases)).toEqual(new Set(['node:24-slim']));
  });

  test('runs as an ordinary user from its own folder', () => {
    expect(final).toMatch(/^USER node$/m);
    expect(final.indexOf('USER node')).toBeGreaterThan(final.lastIndexOf('RUN '));
  });

  test('starts the daemon as process 1, so that SIGTERM reaches it', () => {
    const command = ['node', ...NODE_FLAGS, 'src/main.ts', 'serve'];
    expect(JSON.parse(/^CMD (\[.*\])$/m.exec(final)?.[1] ?? '')).toEqual(command);
    const environment = Object.entries(NODE_ENVIRONMENT).map((setting) => setting.join('='));
    for (const setting of environment) expect(final).toMatch(new RegExp(`^ENV .*\\b${setting}\\b`, 'm'));
    expect(JSON.parse(read('package.json')).scripts.start).toBe([...environment, ...command].join(' '));
    expect(final).not.toMatch(/^(ENTRYPOINT|CMD) [^[]/m);
  });

  test('asks /healthz for its health', () => {
    expect(healthCheck()).toEqual(['node', '-e', expect.stringContaining('/healthz')]);
  });

  test.each([
    [200, 0],
    [503, 1],
  ])('takes an answer of %i for the exit code %i, with and without TLS', async (status, code) => {
    const [, ...args] = healthCheck();
    const answer: RequestListener = ({ url }, response) => response.writeHead(url === '/healthz' ? status : 404).end();
    const plain = createServer(answer);
    const encrypted = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, answer);
    for (const [server, certificate] of [
      [plain, ''],
      [encrypted, '/etc/penstock/cert.pem'],
    ] as const) {
      await once(server.listen(0, '0.0.0.0'), 'listening');
      const { port } = server.address() as AddressInfo;
      const env = { PENSTOCK_PORT: String(port), PENSTOCK_TLS_CERTIFICATE: certificate };
      const [ended] = await once(spawn(process.execPath, args, { env }), 'exit');
      expect(ended).toBe(code);
      await new Promise((closed) => server.close(closed));
    }
  });

  test('copies only what is there and what the context lets in', () => {
    const allowed =
      read('.dockerignore')
        .match(/^!.+$/gm)
        ?.map((line) => line.slice(1)) ?? [];
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').slice(0, -1),
    );
    expect(copied.filter((path) => !existsSync(join(ROOT, path)) || !allowed.includes(path))).toEqual([]);
    expect(copied).toEqual(
      expect.arrayContaining(['src', 'connectors', 'migrations', 'package.json', 'package-lock.json']),
    );
  });
});

describe('docker-compose.yml', () => {
  test('is plain YAML of two spaces a level', () => {
    const lines = compose.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
    expect(lines.filter((line) => !/^(?: {2})*(?:- \S.*|[\w-]+:(?: \S.*)?)$/.test(line))).toEqual([]);
  });

  test('demands its secrets and holds none', () => {
    for (const name of ['POSTGRES_PASSWORD', 'PENSTOCK_ENCRYPTION_KEYS', 'PENSTOCK_IDENTITY_KEY']) {
      const uses = [...compose.matchAll(new RegExp(`\\$\\{${name}([^}]*)`, 'g'))].map(([, rest]) => rest);
      expect(uses).not.toEqual([]);
      expect(uses.filter((rest) => !rest?.startsWith(':?'))).toEqual([]);
    }
  });

  test('waits for a PostgreSQL that answers, and publishes on loopback only', () => {
    expect(compose).toMatch(/depends_on:\n\s+postgres:\n\s+condition: service_healthy\n/);
    expect(compose).toMatch(/healthcheck:\n\s+test: \["CMD", "pg_isready"/);
    expect([...compose.matchAll(/^\s+- "([^"]*)"$/gm)].map(([, port]) => port)).toEqual(['127.0.0.1:8080:8080']);
  });

  test('sets only variables that Penstock reads', () => {
    const names = [...(dockerfile + compose).matchAll(/\b(PENSTOCK_[A-Z_]+|DATABASE_URL)\b/g)].map(([name]) => name);
    expect([...new Set(names)].filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
  });
});
