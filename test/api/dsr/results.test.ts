// The file behind results_url (D-063).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readRequestEvidence } from '../../../src/dsr/officer/request-evidence.ts';
import { resultEndpoint, resultPath } from '../../../src/dsr/result/result-endpoint.ts';
import { publishFile } from '../../../src/dsr/result/result-file.ts';
import { writeResultFile } from '../../../src/dsr/result/write-result-file.ts';
import { createIdSource, createLog, type WorkspaceId } from '../../../src/kernel/index.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { basicOf, someInput, type TestInput } from '../../support/apis/input-probes.ts';
import { accessServer, openTestAccess, someWorkspace, type TestAccess } from '../../support/apis/test-access.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { readZip } from '../../support/runner/read-zip.ts';

const WEEK_MS = 7 * 86_400_000;

let access: TestAccess;
let server: ReturnType<typeof accessServer>;
let workspaceId: WorkspaceId;
let input: TestInput;
let url: string;
beforeAll(async () => {
  access = await openTestAccess();
  workspaceId = (await someWorkspace(access)).workspaceId;
  input = await someInput(access, workspaceId, ['dsr']);
  server = accessServer(access, [resultEndpoint({ ...access, guards: {} })]);
});
afterAll(() => access[Symbol.asyncDispose]());
beforeEach(async () => {
  url = resultPath(await completedRequest());
});

async function completedRequest(): Promise<string> {
  const { store, clock } = access;
  const [mpid = 0n] = mpidsOf(await deliver(store, [person({ email: 'ada@example.com' })], { ...SCOPE, workspaceId }));
  const request = await insertRequest(store, { workspaceId });
  const deps = { store, clock, log: createLog('silent'), nextId: createIdSource(clock) };
  const people = [{ environment: 'production', mpid }] as const;
  const file = await writeResultFile(deps, request, { people, signal: new AbortController().signal });
  if (file === undefined) throw new Error('no file was written');
  await store.transaction((tx) => publishFile(tx, file, new Date(clock.nowMs() + WEEK_MS)));
  return request.id;
}

function get(path: string, by: TestInput | undefined = input) {
  const headers = by === undefined ? {} : { authorization: basicOf(by.key, by.secret) };
  return server.inject({ url: path, headers });
}

const reasons = (answer: Awaited<ReturnType<typeof get>>) => [answer.statusCode, JSON.parse(answer.body).code];

describe('results_url', () => {
  test('answers the zip, whole and for nobody to keep', async () => {
    const answer = await get(url);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/zip']);
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="[0-9a-f-]{36}\.zip"$/);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await readZip(answer.rawPayload)).get('profile.jsonl')).toContain('ada@example.com');
  });

  test.each(['', '/'])('answers with and without a slash behind it: "%s"', async (end) => {
    expect((await get(url + end)).statusCode).toBe(200);
  });

  test('needs the credentials of data subject requests', async () => {
    expect(reasons(await server.inject({ url }))).toEqual([401, 401]);
    expect(reasons(await get(url, { ...input, secret: 'wrong' }))).toEqual([401, 401]);
    const server_key = await someInput(access, workspaceId, ['server']);
    expect((await get(url, server_key)).statusCode).toBeGreaterThanOrEqual(401);
  });

  test('is 404 for another workspace, and where there is no such request or no file', async () => {
    const other = await someInput(access, (await someWorkspace(access)).workspaceId, ['dsr']);
    expect(reasons(await get(url, other))).toEqual([404, 404]);
    expect(reasons(await get(resultPath(crypto.randomUUID())))).toEqual([404, 404]);
    expect(reasons(await get(resultPath('nothing')))).toEqual([404, 404]);
    const { id } = await insertRequest(access.store, { workspaceId });
    expect(reasons(await get(resultPath(id)))).toEqual([404, 404]);
  });

  test('is 410 once 7 days are over', async () => {
    access.clock.advance(WEEK_MS - 1);
    expect((await get(url)).statusCode).toBe(200);
    access.clock.advance(1);
    const answer = await get(url);
    expect(reasons(answer)).toEqual([410, 410]);
    expect(JSON.parse(answer.body).message).toContain('was removed after 7 days');
  });

  test('stands in the audit log once somebody took the file', async () => {
    await get(url);
    const changes = await access.store.query<{ actor: string; action: string }>(
      'SELECT actor, action FROM audit_log WHERE workspace_id = $1 AND resource = $2',
      [workspaceId, `dsr_request/${url.split('/')[4]}`],
    );
    expect(changes).toEqual([{ actor: input.key, action: 'subject_request.results_downloaded' }]);
  });

  test('stands in the evidence of the request, however its id was written', async () => {
    const id = url.split('/')[4] ?? '';
    await get(url);
    await get(resultPath(id.toUpperCase()));
    const { audit } = await readRequestEvidence(access, { workspaceId, id });
    const download = { actor: input.key, action: 'subject_request.results_downloaded' };
    expect(audit).toMatchObject([download, download]);
  });
});
