// docs/dsr-callbacks.md: the steps of the openssl command take a genuine body and no other; the waits are those of the queue.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planRetry } from '../../src/dsr/callbacks/plan-retry.ts';
import { composeBody } from '../../src/dsr/callbacks/send-callback.ts';
import { createProcessor, type Processor } from '../../src/dsr/index.ts';
import { createLog, systemClock, workspaceId } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { testKeyRing } from '../support/apis/test-access.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { openTestStore } from '../support/stores/test-store.ts';

const PAGE = readFileSync(join(ROOT, 'docs/dsr-callbacks.md'), 'utf8');
const block = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1] ?? '';
const SHOWN = block('json').trimEnd();

let store: Store;
let processor: Processor;
let folder: string;
beforeAll(async () => {
  store = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'penstock-guide-'));
  const log = createLog('silent');
  processor = createProcessor({ store, clock: systemClock, keyRing: testKeyRing(), log, domain: 'shop.example' });
  writeFileSync(join(folder, 'certificate.pem'), await processor.published());
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await store[Symbol.asyncDispose]();
});

/** Whether every step of the page succeeds. */
function passes(body: string, domain: string, signature: string): boolean {
  writeFileSync(join(folder, 'body.bin'), body);
  try {
    const env = { PATH: process.env.PATH, DOMAIN: domain, SIGNATURE: signature };
    execFileSync('sh', ['-e', '-c', block('sh')], { cwd: folder, env, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

test('the steps of the page pass for a genuine callback, and for nothing else', async () => {
  const { 'x-opendsr-processor-domain': domain = '', 'x-opendsr-signature': signature = '' } =
    await processor.signAnswer(3, SHOWN);
  expect(passes(SHOWN, domain, signature)).toBe(true);
  expect(passes(`${SHOWN} `, domain, signature)).toBe(false);
  expect(passes(SHOWN, 'opendsr.other.example', signature)).toBe(false);
  expect(
    passes(
      SHOWN,
      domain,
      signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    ),
  ).toBe(false);
});

test('the body of the page is what is sent', () => {
  const body = composeBody({
    ...{ workspaceId: workspaceId(1n), requestId: 'a7551968-d5d6-44b2-9831-815ac9017798' },
    ...{ url: 'https://receiver.example/hook', resultsUrl: 'https://penstock.example' },
    snapshot: {
      ...{ version: 3, status: 'pending', groupId: null, hasResults: false, forwarding: null },
      expectedCompletionOn: '2026-02-01T00:00:00.000Z',
    },
  });
  expect(body).toBe(SHOWN);
});

test('the waits of the page are those of the queue', () => {
  const intervalMs = 15 * 60_000;
  const waits: number[] = [];
  for (let failures = 1; ; failures++) {
    const next = planRetry(failures, { nowMs: 0, intervalMs });
    if (next === undefined) break;
    waits.push(next.getTime() / 60_000);
  }
  expect(waits.slice(0, -1)).toEqual([15, 30, 60, 120, 240, 480]);
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(24 * 60);
  expect(waits).toHaveLength(7);
});
