// Sign-in to Redshift through AWS: the SDK of AWS, unmodified, asks a server that answers as the references of the APIs say.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { type AwsApi, type AwsFailure, openAwsApi } from '../../support/apis/aws-api.ts';
import type { FakePostgres } from '../../support/fakes/fake-postgres.ts';
import { openFakeRedshift } from '../../support/fakes/fake-redshift.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const KEY = { aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: SECRET };
const CLUSTER = { ...KEY, cluster_identifier: 'shop-cluster', aws_region: 'eu-west-1' };
const WORKGROUP = { ...KEY, workgroup_name: 'shop-workgroup', aws_region: 'us-gov-west-1' };
const ROLE = { aws_assume_role_arn: 'arn:aws:iam::123456789012:role/penstock', aws_assume_role_external_id: 'shop-7' };

/** Opens a Redshift that lets in whom the API gave the last password. */
function openCluster(api: AwsApi): Promise<FakePostgres> {
  return openFakeRedshift(3, { lets: (user, password) => user === 'IAM:alice' && password === api.password() });
}

interface Site {
  readonly api: AwsApi;
  readonly cluster: FakePostgres;
}

function openOn({ api, cluster }: Site, fields: object, decided: Partial<ConnectorEnvironment> = {}) {
  const config = { host: '127.0.0.1', port: String(cluster.port), database: 'shop', sslmode: 'disable', ...fields };
  const environment = warehouseEnvironment({ endpoints: { aws: { endpoint: api.endpoint } }, ...decided });
  return redshift.open(config, environment, NEVER);
}

async function callsOf(fields: object, decided: Partial<ConnectorEnvironment> = {}) {
  await using api = await openAwsApi();
  await using cluster = await openCluster(api);
  await using session = await openOn({ api, cluster }, fields, decided);
  expect((await readAll(session, requestOf('SELECT n FROM t'))).rows).toHaveLength(3);
  return api.calls;
}

async function failureOf(fields: object, fails: Readonly<Record<string, AwsFailure>>, decided: object = {}) {
  await using api = await openAwsApi(fails);
  await using cluster = await openCluster(api);
  await using session = await openOn({ api, cluster }, fields, decided);
  return await session.clock(NEVER).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
}

describe('signing in through AWS', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('asks GetClusterCredentials for the user that is named', async () => {
    expect(await callsOf({ ...CLUSTER, user: 'alice' })).toMatchObject([
      {
        service: 'redshift',
        region: 'eu-west-1',
        accessKey: KEY.aws_access_key_id,
        action: 'GetClusterCredentials',
        parameters: { ClusterIdentifier: 'shop-cluster', DbName: 'shop', DbUser: 'alice', AutoCreate: 'false' },
      },
    ]);
  });

  it('asks GetClusterCredentialsWithIAM where no user is named', async () => {
    expect(await callsOf(CLUSTER)).toMatchObject([
      {
        action: 'GetClusterCredentialsWithIAM',
        parameters: { ClusterIdentifier: 'shop-cluster', DbName: 'shop' },
      },
    ]);
  });

  it('asks GetCredentials of Redshift Serverless for a workgroup', async () => {
    expect(await callsOf(WORKGROUP)).toMatchObject([
      {
        service: 'redshift-serverless',
        region: 'us-gov-west-1',
        action: 'GetCredentials',
        parameters: { workgroupName: 'shop-workgroup', dbName: 'shop' },
      },
    ]);
  });

  it('assumes the role first, with its external id', async () => {
    expect(await callsOf({ ...CLUSTER, ...ROLE })).toMatchObject([
      {
        service: 'sts',
        region: 'eu-west-1',
        accessKey: KEY.aws_access_key_id,
        action: 'AssumeRole',
        parameters: { RoleArn: ROLE.aws_assume_role_arn, ExternalId: 'shop-7' },
      },
      { service: 'redshift', accessKey: 'ASIAROLEROLEROLEROLE', action: 'GetClusterCredentialsWithIAM' },
    ]);
  });

  it('asks for new credentials for each connection, since the last ones may have expired', async () => {
    await using api = await openAwsApi();
    await using cluster = await openCluster(api);
    await using session = await openOn({ api, cluster }, CLUSTER);
    const { chunks } = await session.read(requestOf('SELECT n FROM t', { chunkRows: 1 }), NEVER);
    await session.clock(NEVER);
    for await (const _ of chunks) break;
    expect(api.calls).toHaveLength(2);
    expect(cluster.received.filter((entry) => entry.startsWith('p '))).toEqual(['p temporary-1', 'p temporary-2']);
  });

  it('names the user of the database in the probe', async () => {
    await using api = await openAwsApi();
    await using cluster = await openCluster(api);
    await using session = await openOn({ api, cluster }, CLUSTER);
    const stages = await session.probe(NEVER);
    expect(stages.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed', 'passed', 'passed']);
    expect(stages[2]?.message).toBe('alice may sign in to shop; the server is Redshift.');
  });

  it.each([
    [{ code: 'AccessDenied', status: 403, fields: CLUSTER }, 'WAREHOUSE_PERMISSION', 'policy'],
    [{ code: 'AccessDeniedException', status: 400, fields: WORKGROUP }, 'WAREHOUSE_PERMISSION', 'policy'],
    [
      { code: 'ClusterNotFound', status: 404, fields: CLUSTER },
      'WAREHOUSE_OBJECT_MISSING',
      'config.cluster_identifier',
    ],
    [
      { code: 'ResourceNotFoundException', status: 400, fields: WORKGROUP },
      'WAREHOUSE_OBJECT_MISSING',
      'config.workgroup_name',
    ],
    [
      { code: 'InvalidClientTokenId', status: 403, fields: CLUSTER },
      'WAREHOUSE_CREDENTIALS',
      'config.aws_access_key_id',
    ],
    [
      { code: 'UnrecognizedClientException', status: 400, fields: WORKGROUP },
      'WAREHOUSE_CREDENTIALS',
      'config.aws_access_key_id',
    ],
    [{ code: 'ExpiredToken', status: 403, fields: CLUSTER }, 'WAREHOUSE_CREDENTIALS', 'expired'],
    [{ code: 'ValidationException', status: 400, fields: WORKGROUP }, 'WAREHOUSE_CONFIG', 'said so'],
    [{ code: 'InternalFailure', status: 500, fields: CLUSTER }, 'WAREHOUSE_UNREACHABLE', 'said so'],
    [{ code: 'SomethingNew', status: 400, fields: CLUSTER }, 'WAREHOUSE_UNKNOWN', 'said so'],
  ])('says what $0.code ($0.status) means', async ({ code: name, status, fields }, code, message) => {
    const failure = { status, code: name, message: 'AWS said so' };
    const fails = { GetClusterCredentialsWithIAM: failure, GetCredentials: failure };
    expect(await failureOf(fields, fails)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('blanks out secrets in a text that repeats the headers of the request', async () => {
    const aws_session_token = 'FwoGZXIvYXdzEXAMPLETOKEN';
    const message = `The Canonical String for this request should have been 'POST x-amz-security-token:${aws_session_token}'`;
    const fails = { GetClusterCredentialsWithIAM: { status: 403, code: 'SignatureDoesNotMatch', message } };
    const failure = await failureOf({ ...CLUSTER, aws_session_token }, fails);
    expect(failure).toMatchObject({ code: 'WAREHOUSE_CREDENTIALS', message: expect.stringContaining('token:***') });
    const shown = JSON.stringify([failure?.message, failure?.stack, String(failure?.cause), failure?.cause]);
    for (const secret of [aws_session_token, SECRET]) expect(shown).not.toContain(secret);
  });

  it('does not wait for an API that never answers', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const environment = warehouseEnvironment({ endpoints: { aws: { endpoint } }, statementTimeoutMs: 200 });
    const config = { host: '127.0.0.1', port: '1', database: 'shop', ...CLUSTER };
    await using session = await redshift.open(config, environment, NEVER);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
    silent.closeAllConnections();
    silent.close();
  });

  it('uses the identity of the daemon only where the operator allows that', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIADAEMONDAEMONDAEM');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'daemon');
    const { aws_access_key_id: _, aws_secret_access_key: __, ...place } = CLUSTER;
    const fields = { ...place, ...ROLE };
    expect(await failureOf(fields, {})).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringMatching(/config\.aws_access_key_id is missing.*PENSTOCK_CLOUD_IDENTITY/),
    });
    await using api = await openAwsApi();
    await using cluster = await openCluster(api);
    await using session = await openOn({ api, cluster }, fields, { allowsCloudIdentity: true });
    await session.clock(NEVER);
    expect(api.calls.map(({ accessKey }) => accessKey)).toEqual(['AKIADAEMONDAEMONDAEM', 'ASIAROLEROLEROLEROLE']);
  });

  it('goes to no host that the operator does not allow', async () => {
    const network = { allowedHosts: ['localhost'], refused: [] };
    const fields = { ...CLUSTER, host: 'localhost' };
    expect(await failureOf(fields, {}, { network, endpoints: {} })).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('"redshift.eu-west-1.amazonaws.com"'),
    });
  });
});
