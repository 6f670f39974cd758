// Requests that somebody writes by hand: signed, and with Basic credentials.
import { execFile } from 'node:child_process';
import * as crypto from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, runCode } from '../support/apis/client-page.ts';
import { type ClientDaemon, startClientDaemon } from '../support/crashes/client-daemon.ts';

const PAGE = 'By hand';

let daemon: ClientDaemon;
beforeAll(async () => {
  daemon = await startClientDaemon(['server']);
}, 900_000);
afterAll(() => daemon[Symbol.asyncDispose]());

test('a batch goes with Basic credentials, as the page shows', async () => {
  const [code = ''] = codeOf(PAGE, 'sh', daemon);
  const { PATH } = process.env;
  const env = { PATH, KEY: daemon.key, SECRET: daemon.secret, API: daemon.url };
  const { stdout } = await promisify(execFile)('bash', ['-ec', code], { env });
  expect(stdout).toBe('202\n');
  expect((await daemon.batches()).map(({ batch }) => batch.user_identities)).toEqual([{ customer_id: 'c-1' }]);
});

test('an identity request is signed over method, date, path and body, as the page shows', async () => {
  const [code = ''] = codeOf(PAGE, 'js', daemon);
  const answer = await signedRequest(code);
  const [{ mpid } = { mpid: 0n }] = await daemon.batches();
  expect(answer).toMatchObject({ mpid: String(mpid), is_logged_in: true, is_ephemeral: false });
});

test.each([
  ['another body', (code: string) => code.replace('  body,\n', "  body: body.replace('c-1', 'c-2'),\n")],
  ['another path', (code: string) => code.replace('$' + '{path}`, {', '$' + '{path.replace("identify", "login")}`, {')],
  ['another method', (code: string) => code.replace('`POST', '`PUT')],
  ['another secret', (code: string) => code.replace(daemon.secret, `${daemon.secret}x`)],
  ['a date of yesterday', (code: string) => code.replace('new Date()', 'new Date(Date.now() - 86_400_000)')],
])('a signature of %s is refused', async (_what, change) => {
  const [code = ''] = codeOf(PAGE, 'js', daemon);
  const changed = change(code);
  expect(changed).not.toBe(code);
  expect(await signedRequest(changed)).toMatchObject({ StatusCode: 401 });
});

/** The page's code is a module; here it is a function. */
function signedRequest(code: string): Promise<unknown> {
  return runCode(code.replace(/^import .*$/m, ''), { createHmac: crypto.createHmac, fetch });
}
