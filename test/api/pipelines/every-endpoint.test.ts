import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provisionAccount } from '../../../src/access/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import {
  openSyncApi,
  pipelineBody,
  type SyncApi,
  somePipeline,
  somePlan,
  TRANSFORMATIONS,
  transformationBody,
} from '../../support/apis/sync-api.ts';

const BASE = '/platform/v2/workspaces/{workspaceId}';

const PIPELINE = '/inputs/data-pipelines/{pipelineId}';

/**
 * The endpoints of version 2 in the specification (docs/spec/warehouse-sync.md#endpoints-of-version-2), then the
 * extensions.
 */
const CONTRACT = [
  ...['GET /connections', 'GET /connections/{connectionId}', 'POST /connections', 'PUT /connections/{connectionId}'],
  ...['DELETE /connections/{connectionId}', 'GET /data-models', 'GET /data-models/{modelId}', 'POST /data-models'],
  ...['PUT /data-models/{modelId}', 'DELETE /data-models/{modelId}', 'GET /inputs/data-pipelines'],
  ...['GET /inputs/data-pipelines/{pipelineId}', 'POST /inputs/data-pipelines'],
  ...['PUT /inputs/data-pipelines/{pipelineId}', 'DELETE /inputs/data-pipelines/{pipelineId}'],
  ...['POST /inputs/data-pipelines/trigger', 'POST /inputs/data-pipelines/reset'],
  ...['GET /inputs/data-pipelines/{pipelineId}/report', 'GET /inputs/data-pipelines/{pipelineId}/runs'],
  ...['GET /inputs/data-pipelines/{pipelineId}/runs/{runId}', 'POST /connections/{connectionId}/test'],
  ...['GET /field-transformations', 'POST /field-transformations', 'GET /field-transformations/{transformationId}'],
  ...['PUT /field-transformations/{transformationId}', 'DELETE /field-transformations/{transformationId}'],
  ...['POST /data-models/{modelId}/preview', 'POST /inputs/data-pipelines/{pipelineId}/dry-run'],
  ...['runs/{runId}/cancel', 'runs/{runId}/failed-records/retry'].map((it) => `POST ${PIPELINE}/${it}`),
  ...['failed-records', 'write-back-conflicts'].map((it) => `GET ${PIPELINE}/runs/{runId}/${it}`),
  ...['POST /data-models/{modelId}/validate', 'GET /settings', 'PUT /settings', 'GET /audit-log'],
  ...['GET /data-plans', 'POST /data-plans', 'GET /data-plans/{planId}', 'PUT /data-plans/{planId}'],
  ...['DELETE /data-plans/{planId}'],
  ...['GET /profiles', 'GET /profiles/{mpid}', 'GET /batches'],
];

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Described extends Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
}

let api: SyncApi;
let operations: readonly Described[];

beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
  await api.admin.post(TRANSFORMATIONS, transformationBody);
  await somePlan(api, 'plan', 'active');
  const document = JSON.parse((await api.server.inject('/openapi.json')).body) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(BASE))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase() as Described['method'],
        path: path.slice(BASE.length),
      })),
    );
});
afterAll(() => api[Symbol.asyncDispose]());

const nameOf = ({ method, path }: Described) => `${method} ${path}`;
const named = (name: string) => operations.find((operation) => nameOf(operation) === name);

/** Status that a call without a body gets: credentials are looked at before the body. */
async function statusOf({ method, path }: Described, workspaceId: bigint, authorization?: string): Promise<number> {
  const url = `/platform/v2/workspaces/${workspaceId}${path}`
    .replace('{connectionId}', 'warehouse')
    .replace('{modelId}', 'purchases')
    .replace('{transformationId}', transformationBody.id)
    .replace('{pipelineId}', pipelineBody.id)
    .replace('{planId}', 'plan')
    .replace('{runId}', '1')
    .replace('{mpid}', '1');
  const headers = authorization === undefined ? {} : { authorization };
  return (await api.server.inject({ method, url, headers })).statusCode;
}

describe('the platform API', () => {
  it('has every endpoint of the specification and the extensions of this version', () => {
    expect(operations.map(nameOf).toSorted()).toEqual(CONTRACT.toSorted());
  });

  it('asks for a token at every endpoint', async () => {
    for (const operation of operations) {
      expect([nameOf(operation), await statusOf(operation, api.admin.workspaceId)]).toEqual([nameOf(operation), 401]);
    }
  });

  it('does not know the workspace of another account at any endpoint', async () => {
    for (const operation of operations) {
      const status = await statusOf(operation, api.admin.workspaceId, api.stranger.bearer);
      expect([nameOf(operation), status]).toEqual([nameOf(operation), 404]);
    }
  });

  it('lets the role read see everything and change nothing', async () => {
    for (const operation of operations) {
      const status = await statusOf(operation, api.reader.workspaceId, api.reader.bearer);
      // of runs and profiles there are none yet
      const expected = operation.method !== 'GET' ? 403 : /\{(runId|mpid)\}/.test(operation.path) ? 404 : 200;
      expect([nameOf(operation), status]).toEqual([nameOf(operation), expected]);
    }
  });

  it('refuses warehouse sync, and nothing else, where the account is not provisioned for it', async () => {
    const deps = { store: api.store, clock: systemClock, keyRing: api.deps.keyRing };
    await provisionAccount(deps, { accountId: api.strangerAccountId, warehouseSync: false, actor: 'cli:tester' });
    for (const operation of operations) {
      const status = await statusOf(operation, api.stranger.workspaceId, api.stranger.bearer);
      const isOfWorkspace = /^\/(settings|audit-log|profiles|batches|data-plans)/.test(operation.path);
      expect([nameOf(operation), status === 403]).toEqual([nameOf(operation), !isOfWorkspace]);
    }
  });
});

describe('its description', () => {
  it('names the header that makes a trigger safe to repeat', () => {
    const headers = named('POST /inputs/data-pipelines/trigger')?.parameters.filter((each) => each.in === 'header');
    expect(headers).toMatchObject([{ name: 'Idempotency-Key' }]);
  });

  it.each([
    ...['POST /connections', 'DELETE /connections/{connectionId}', 'POST /data-models'],
    ...['POST /field-transformations', 'DELETE /field-transformations/{transformationId}'],
    ...['POST /data-plans', 'PUT /data-plans/{planId}', 'DELETE /data-plans/{planId}'],
    ...['DELETE /data-models/{modelId}', 'POST /inputs/data-pipelines', 'PUT /inputs/data-pipelines/{pipelineId}'],
    ...['DELETE /inputs/data-pipelines/{pipelineId}', 'POST /inputs/data-pipelines/reset'],
  ])('says when %s answers 409', (name) => {
    expect(Object.keys(named(name)?.responses ?? {})).toContain('409');
  });
});
