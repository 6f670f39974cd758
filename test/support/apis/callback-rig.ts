// Callbacks of data subject requests against real receivers, with a clock that is moved by hand.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallbackDeps } from '../../../src/dsr/callbacks/callback-deps.ts';
import { queueCallbacks } from '../../../src/dsr/callbacks/queue-callbacks.ts';
import { sendCallbacks } from '../../../src/dsr/callbacks/send-callbacks.ts';
import { createProcessor } from '../../../src/dsr/certificates/create-processor.ts';
import type { Request } from '../../../src/dsr/request.ts';
import type { RequestStatus } from '../../../src/dsr/request-machine.ts';
import { setStatus } from '../../../src/dsr/set-status.ts';
import { createOutgoing } from '../../../src/http/outgoing/create-outgoing.ts';
import { createLog } from '../../../src/kernel/index.ts';
import { type FakeClock, fakeClock } from '../clocks/fake-clock.ts';
import { openTestStore } from '../stores/test-store.ts';
import { insertRequest } from './dsr-requests.ts';
import { CERTIFICATE } from './localhost-certificate.ts';
import { testKeyRing } from './test-access.ts';

export const MINUTE_MS = 60_000;
export const QUARTER_MS = 15 * MINUTE_MS;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** One for all: the first call of each reads the system's authorities. */
const outgoing = createOutgoing({ allowedHosts: ['localhost'], ca: CERTIFICATE });

export interface CallbackRig extends CallbackDeps, AsyncDisposable {
  readonly clock: FakeClock;
  /** A pending request whose first callbacks are queued. */
  receive(urls: readonly string[], columns?: Parameters<typeof insertRequest>[1]): Promise<Request>;
  move(request: Request, next: RequestStatus): Promise<Request>;
  /** One pass of the queue. */
  depart(): Promise<void>;
}

export async function openCallbackRig(): Promise<CallbackRig> {
  const store = await openTestStore();
  const clock = fakeClock();
  const log = createLog('silent');
  const deps: CallbackDeps = {
    ...{ store, clock, log },
    outgoing,
    processor: createProcessor({ store, clock, log, keyRing: testKeyRing(), domain: 'shop.example' }),
    resultsUrl: (id) => `https://penstock.test/dsr/v3/requests/${id}/results`,
    intervalMs: QUARTER_MS,
  };
  return {
    ...deps,
    clock,
    async receive(urls, columns = {}) {
      const request = await insertRequest(store, { status: 'pending', ...columns, callbackUrls: [...urls] });
      await store.transaction((tx) => queueCallbacks(tx, request, clock.nowMs()));
      return request;
    },
    async move(request, next) {
      const moved = await store.transaction((tx) => setStatus(tx, request, { next, nowMs: clock.nowMs() }));
      if (moved === undefined) throw new Error(`The request is not ${request.status} any more.`);
      return moved;
    },
    depart: () => sendCallbacks(deps, new AbortController().signal),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** What the openssl command says of a signature over bytes: none of our code has a part in it. */
export function opensslVerifies(certificate: string, signature: string, bytes: Uint8Array): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-openssl-'));
  const at = (name: string) => join(folder, name);
  try {
    writeFileSync(at('certificate.pem'), certificate);
    writeFileSync(at('signature.bin'), Buffer.from(signature, 'base64'));
    writeFileSync(at('body.bin'), bytes);
    openssl('x509', '-in', at('certificate.pem'), '-pubkey', '-noout', '-out', at('key.pem'));
    const said = openssl(
      'dgst',
      '-sha256',
      '-verify',
      at('key.pem'),
      '-signature',
      at('signature.bin'),
      at('body.bin'),
    );
    return said.trim() === 'Verified OK';
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What openssl says of the first certificate of a file; throws where it complains. */
export function opensslCertificate(pem: string, ...options: readonly string[]): string {
  return execFileSync('openssl', ['x509', '-noout', ...options], { input: pem, encoding: 'utf8' });
}

function openssl(...options: readonly string[]): string {
  return execFileSync('openssl', options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
