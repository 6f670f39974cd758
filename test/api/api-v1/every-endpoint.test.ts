import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provisionAccount } from '../../../src/access/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import { openVersionOne, pipelineOne, somePipelineOne, type VersionOne } from '../../support/apis/version-one.ts';

const BASE = '/platform/v1/workspaces/{workspaceId}/inputs/warehouse';
const PIPELINE = '/pipelines/{pipelineId}';
const RUN = `${PIPELINE}/status/runs/{pipelineRunId}`;

/**
 * The endpoints of version 1 in the specification (docs/spec/warehouse-sync.md#version-1). Reading one pipeline is the
 * only extension.
 */
const CONTRACT = [
  ...['GET /connections', 'POST /connections'],
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /connections/{connectionId}`),
  ...['GET /data-models', 'POST /data-models'],
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /data-models/{modelId}`),
  ...['GET /pipelines', 'POST /pipelines', `GET ${PIPELINE}`, `PUT ${PIPELINE}`, `DELETE ${PIPELINE}`],
  ...[`POST ${PIPELINE}`, `GET ${PIPELINE}/status`, `GET ${PIPELINE}/status/runs`, `GET ${RUN}`, `POST ${RUN}/retry`],
];

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly responses: Readonly<Record<string, unknown>>;
}

let at: VersionOne;
let operations: readonly Operation[];
beforeAll(async () => {
  at = await openVersionOne();
  await somePipelineOne(at);
  const document = JSON.parse((await at.api.server.inject('/openapi.json')).body) as {
    paths: Record<string, Record<string, Pick<Operation, 'responses'>>>;
  };
  operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(BASE))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        method: method.toUpperCase() as Operation['method'],
        path: path.slice(BASE.length),
        responses,
      })),
    );
});
afterAll(() => at[Symbol.asyncDispose]());

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

async function answerOf({ method, path }: Operation, workspaceId: bigint, authorization?: string) {
  const url = `${BASE}${path}`
    .replace('{workspaceId}', String(workspaceId))
    .replace('{connectionId}', 'shop')
    .replace('{modelId}', 'buyers')
    .replace('{pipelineId}', pipelineOne.id)
    .replace('{pipelineRunId}', '1');
  const headers = authorization === undefined ? {} : { authorization };
  return at.api.server.inject({ method, url, headers });
}

describe('warehouse sync v1', () => {
  it('has every endpoint of the specification', () => {
    expect(operations.map(nameOf).toSorted()).toEqual(CONTRACT.toSorted());
  });

  it('asks for a token, does not know the workspace of another account, and answers in its own error body', async () => {
    const { admin, stranger } = at.api;
    for (const operation of operations) {
      const none = await answerOf(operation, admin.workspaceId);
      const other = await answerOf(operation, admin.workspaceId, stranger.bearer);
      expect([nameOf(operation), none.statusCode, other.statusCode]).toEqual([nameOf(operation), 401, 404]);
      const message = expect.any(String);
      expect(JSON.parse(other.body)).toEqual({ statusCode: 404, errors: [{ message }] });
    }
  });

  it('lets the role read see everything and change nothing', async () => {
    const { reader } = at.api;
    for (const operation of operations) {
      const { statusCode } = await answerOf(operation, reader.workspaceId, reader.bearer);
      const expected = operation.method !== 'GET' ? 403 : operation.path.includes('{pipelineRunId}') ? 404 : 200;
      expect([nameOf(operation), statusCode]).toEqual([nameOf(operation), expected]);
    }
  });

  it('is refused where the account is not provisioned for it', async () => {
    const { store, deps, strangerAccountId, stranger } = at.api;
    const access = { store, clock: systemClock, keyRing: deps.keyRing };
    await provisionAccount(access, { accountId: strangerAccountId, warehouseSync: false, actor: 'cli:tester' });
    for (const operation of operations) {
      const { statusCode } = await answerOf(operation, stranger.workspaceId, stranger.bearer);
      expect([nameOf(operation), statusCode]).toEqual([nameOf(operation), 403]);
    }
  });

  it('says of each endpoint that asks a warehouse when it answers 505, and of none that it answers 409', () => {
    const answering = (status: string) => operations.filter(({ responses }) => status in responses).map(nameOf);
    const saves = ['POST /connections', 'PUT /connections/{connectionId}', 'POST /pipelines', `PUT ${PIPELINE}`];
    expect(answering('505').toSorted()).toEqual(saves.toSorted());
    expect(answering('409')).toEqual([]);
  });
});
