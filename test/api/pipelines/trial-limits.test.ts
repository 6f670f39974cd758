// Calls that ask a warehouse wait in line; who finds the line full is told when to come again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import type { RunTrial } from '../../../src/pipelines/index.ts';
import {
  connectionBody,
  openSyncApi,
  PIPELINE,
  type SyncApi,
  somePipeline,
  versionOne,
} from '../../support/apis/sync-api.ts';
import { connectionOne } from '../../support/apis/version-one.ts';

let api: SyncApi;
let isFull = false;
const asked: bigint[] = [];
const runTrial: RunTrial = ({ workspaceId }, trial) => {
  asked.push(workspaceId);
  return isFull ? Promise.reject(new AppError('RATE_LIMITED', 'Too many wait.', { retryAfterSeconds: 5 })) : trial();
};

beforeAll(async () => {
  api = await openSyncApi({ runTrial });
  await somePipeline(api);
  isFull = true;
});
afterAll(() => api[Symbol.asyncDispose]());

test.each([
  ['POST', '/data-models/purchases/preview', { connection_id: 'warehouse' }],
  ['POST', '/data-models/purchases/validate', { connection_id: 'warehouse' }],
  ['POST', `${PIPELINE}/dry-run`, undefined],
  ['POST', '/connections', { ...connectionBody, id: 'another' }],
  ['PUT', '/connections/warehouse', { ...connectionBody, name: 'Renamed' }],
  ['POST', '/connections/warehouse/test', undefined],
] as const)('%s %s answers 429 with the seconds to wait, and changes nothing', async (method, path, payload) => {
  const before = (await api.admin.get('/connections')).body;
  const url = `/platform/v2/workspaces/${api.admin.workspaceId}${path}`;
  const answer = await api.server.inject({
    ...{ method, url, headers: { authorization: api.admin.bearer } },
    ...(payload === undefined ? {} : { payload }),
  });
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '5']);
  expect(asked.at(-1)).toBe(api.admin.workspaceId);
  expect((await api.admin.get('/connections')).body).toEqual(before);
});

test('version 1 waits in the same line', async () => {
  expect((await versionOne(api, api.admin).post('/connections', connectionOne)).status).toBe(429);
});

test('a caller without the right does not take a place', async () => {
  const before = asked.length;
  expect((await api.reader.post('/connections/warehouse/test')).status).toBe(403);
  expect(asked).toHaveLength(before);
});
