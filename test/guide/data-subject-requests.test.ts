// What docs/data-subject-requests.md tells people to type works as it stands there, in its order.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { DOMAIN, openDsrApi } from '../support/dsr-api.ts';
import { ROOT } from '../support/penstock-process.ts';

const run = promisify(execFile);
const page = readFileSync(join(ROOT, 'docs', 'data-subject-requests.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);

const FIRST = 'a7551968-d5d6-44b2-9831-815ac9017798';

test('the calls of the page are answered as it says', async () => {
  await using api = await openDsrApi();
  const env = {
    ...{ PATH: process.env.PATH, PENSTOCK: await api.server.listen(), DOMAIN },
    ...{ KEY: api.input.key, SECRET: api.input.secret },
  };
  try {
    const answers: unknown[] = [];
    for (const block of blocks) answers.push(JSON.parse((await run('bash', ['-c', block], { env })).stdout));
    expect(answers).toEqual([
      expect.objectContaining({ subject_request_id: FIRST, encoded_request: expect.any(String) }),
      expect.objectContaining({ subject_request_id: FIRST, request_status: 'pending', group_id: 'january' }),
      [expect.objectContaining({ subject_request_id: FIRST })],
      expect.objectContaining({ subject_request_id: FIRST, expected_completion_time: null }),
      expect.objectContaining({ api_version: '3.0' }),
      expect.objectContaining({ subject_request_id: expect.stringMatching(/^b/), received_time: expect.any(String) }),
      expect.objectContaining({ subject_request_id: expect.stringMatching(/^c/), received_time: expect.any(String) }),
    ]);
  } finally {
    await api.server.close(0);
  }
});

test('every command of the page exists', async () => {
  const { run: penstock } = commandLine({});
  const commands = [...page.matchAll(/^ {4}penstock dsr ([a-z]+)/gm)].map(([, name = '']) => name);
  expect(new Set(commands).size).toBeGreaterThan(5);
  for (const name of commands) expect((await penstock('dsr', name, '--help')).out).toContain(`penstock dsr ${name}`);
});
