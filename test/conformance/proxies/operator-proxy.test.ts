// Connectors behind the operator's proxy, each with its unmodified SDK: the names of the servers are known to the proxy alone.
import { get } from 'node:https';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAgents } from '../../../connectors/_shared/agents.ts';
import { classify } from '../../../connectors/bigquery/errors.ts';
import { bigquery } from '../../../connectors/bigquery/index.ts';
import { loadSdk } from '../../../connectors/bigquery/session.ts';
import { signIn } from '../../../connectors/bigquery/sign-in.ts';
import { databricks } from '../../../connectors/databricks/index.ts';
import { redshift } from '../../../connectors/redshift/index.ts';
import { snowflake } from '../../../connectors/snowflake/index.ts';
import { readConfig } from '../../../src/config.ts';
import { createSelfSigned } from '../../../src/dsr/certificates/create-self-signed.ts';
import { createProxyRules } from '../../../src/kernel/index.ts';
import { openAwsApi } from '../../support/apis/aws-api.ts';
import { type ConnectProxy, openConnectProxy } from '../../support/apis/connect-proxy.ts';
import { openReceiver } from '../../support/apis/https-receiver.ts';
import { CONFIG as BIGQUERY, NUMBERS, numbers, openScripted } from '../../support/bigquery/scripted.ts';
import { openDatabricksWire } from '../../support/fakes/databricks-wire.ts';
import { openFakeRedshift } from '../../support/fakes/fake-redshift.ts';
import { openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { SNOWFLAKE_CONFIG } from '../../support/fakes/snowflake-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { answers, CLOCK, CONFIG as DATABRICKS, TOKEN } from '../databricks/on-wire.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const USER = 'ann:hunter2';

/** Builds the environment of connectors with the proxy for both schemes. */
function behind(url: string, endpoints: object = {}, user = USER) {
  const text = url.replace('//', `//${user}@`);
  const { proxies } = readConfig({ HTTPS_PROXY: text, HTTP_PROXY: text }).outgoing;
  return warehouseEnvironment({
    network: { allowedHosts: [], refused: [], proxyOf: createProxyRules(proxies) },
    endpoints,
  });
}

const proxyTo = (names: Readonly<Record<string, number>>) => openConnectProxy({ names, signIn: USER });
const asked = ({ asked: targets }: ConnectProxy) => [...new Set(targets)];

describe('through the proxy of the operator', () => {
  it('Snowflake reads, its parts behind links too', async () => {
    const columns = [{ name: 'ONE', type: 'fixed', scale: 0 }];
    const result = { columns, rows: [['1'], ['2'], ['3']], partRows: 1, partsAt: 'http://parts.only-proxy.test' };
    await using server = await openFakeSnowflake({ answer: () => result });
    await using proxy = await proxyTo({ 'account.only-proxy.test': server.port, 'parts.only-proxy.test': server.port });
    const environment = behind(proxy.url, { snowflake: { accessUrl: 'http://account.only-proxy.test' } });
    await using session = await snowflake.open({ ...SNOWFLAKE_CONFIG, database: 'SHOP' }, environment, NEVER);
    expect((await readAll(session, requestOf('SELECT n FROM t'))).rows).toEqual([[1], [2], [3]]);
    expect(asked(proxy)).toEqual(['account.only-proxy.test:80', 'parts.only-proxy.test:80']);
    const [reached] = await session.probe(NEVER);
    expect(reached).toMatchObject({ name: 'reach', status: 'passed' });
  });

  it('BigQuery reads, large results page by page', async () => {
    await using scripted = await openScripted({ fields: NUMBERS, rows: numbers(6000) });
    await using proxy = await proxyTo({ 'bigquery.only-proxy.test': scripted.api.port });
    const environment = behind(proxy.url, {
      bigquery: {
        apiEndpoint: 'http://bigquery.only-proxy.test',
        storageEndpoint: { host: 'storage.only-proxy.test', port: scripted.storage.port },
      },
    });
    await using session = await bigquery.open(BIGQUERY, environment, NEVER);
    expect((await readAll(session, requestOf('SELECT n FROM t'))).rows).toHaveLength(6000);
    expect(asked(proxy)).toEqual(['bigquery.only-proxy.test:80']);
    const [reached] = await session.probe(NEVER);
    expect(reached).toMatchObject({ name: 'reach', status: 'passed' });
  });

  it('BigQuery gets its tokens', async () => {
    await using proxy = await proxyTo({});
    const environment = behind(proxy.url);
    const agents = createAgents(environment.network);
    const client = await signIn(await loadSdk(), { config: BIGQUERY, environment, agents });
    const failure = await client.getAccessToken().catch(classify);
    expect(asked(proxy)).toEqual(['oauth2.googleapis.com:443']);
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: expect.stringContaining(
        `The proxy 127.0.0.1:${proxy.port} opened no tunnel to oauth2.googleapis.com:443`,
      ),
    });
    agents.close();
  });

  it('Databricks reads over TLS with the warehouse itself', async () => {
    const { certificate: ca, privateKey: key } = await createSelfSigned('only-proxy.test', Date.now());
    const host = 'opendsr.only-proxy.test';
    await using wire = await openDatabricksWire({
      ...{ answer: answers({ 'SELECT CAST(unix_micros': CLOCK }), pair: { cert: ca, key } },
    });
    await using proxy = await proxyTo({ [host]: wire.port });
    const environment = behind(proxy.url, { databricks: { host, port: 443, ca } });
    await using session = await databricks.open({ ...DATABRICKS, ...TOKEN }, environment, NEVER);
    expect(await session.clock(NEVER)).toBe(1_704_067_200_000_001n);
    expect(asked(proxy)).toEqual([`${host}:443`]);
  });

  it('Redshift gets its credentials from AWS, and reaches the database itself', async () => {
    await using api = await openAwsApi();
    await using cluster = await openFakeRedshift(3, { lets: (_, password) => password === api.password() });
    await using proxy = await proxyTo({ 'aws.only-proxy.test': Number(new URL(api.endpoint).port) });
    const environment = behind(proxy.url, { aws: { endpoint: 'http://aws.only-proxy.test' } });
    const config = {
      ...{ host: '127.0.0.1', port: String(cluster.port), database: 'shop', sslmode: 'disable' },
      ...{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'wJalrXUtnFEMI' },
      ...{ cluster_identifier: 'shop-cluster', aws_region: 'eu-west-1', user: 'alice' },
    };
    await using session = await redshift.open(config, environment, NEVER);
    expect((await readAll(session, requestOf('SELECT n FROM t'))).rows).toHaveLength(3);
    expect(asked(proxy)).toEqual(['aws.only-proxy.test:80']);
  });

  it('an agent checks the certificate of the server behind it', async () => {
    const { certificate, privateKey } = await createSelfSigned('only-proxy.test', Date.now());
    await using receiver = await openReceiver({ pair: { cert: certificate, key: privateKey } });
    const names = { 'opendsr.only-proxy.test': receiver.port, 'other.only-proxy.test': receiver.port };
    await using proxy = await proxyTo(names);
    const agents = createAgents(behind(proxy.url).network);
    const status = (host: string) =>
      new Promise((resolve) => {
        const request = get(`https://${host}/`, { agent: agents.https, ca: certificate }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        request.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      });
    expect(await status('opendsr.only-proxy.test')).toBe(202);
    expect(await status('other.only-proxy.test')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    agents.close();
  });
});

describe('a proxy that refuses', () => {
  const opened = {
    Snowflake: (environment: ReturnType<typeof behind>) =>
      snowflake.open({ ...SNOWFLAKE_CONFIG, database: 'SHOP' }, environment, NEVER),
    BigQuery: (environment: ReturnType<typeof behind>) => bigquery.open(BIGQUERY, environment, NEVER),
    Databricks: (environment: ReturnType<typeof behind>) =>
      databricks.open({ ...DATABRICKS, ...TOKEN }, environment, NEVER),
  };
  const endpoints = {
    snowflake: { accessUrl: 'http://account.only-proxy.test' },
    bigquery: { apiEndpoint: 'http://bigquery.only-proxy.test' },
    databricks: { host: 'workspace.only-proxy.test', port: 443 },
  };

  it.each(Object.entries(opened))('the user is named to %s without its password', async (_, open) => {
    await using proxy = await proxyTo({});
    await using session = await open(behind(proxy.url, endpoints, 'ann:wr0ng'));
    const failure = await session.clock(NEVER).catch((thrown: unknown) => thrown);
    const says = `The proxy 127.0.0.1:${proxy.port} refused the user or password (407). Check HTTPS_PROXY.`;
    expect(failure).toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
    expect(String(failure).replace('HTTP_PROXY', 'HTTPS_PROXY')).toContain(says);
    const [reached] = await session.probe(NEVER);
    expect(reached).toMatchObject({ name: 'reach', status: 'failed' });
    expect(reached?.message.replace('HTTP_PROXY', 'HTTPS_PROXY')).toContain(says);
    expect(inspect([failure, reached], { depth: 12, showHidden: false })).not.toMatch(/wr0ng|YW5uOndyMG5n/);
  });
});

describe('the variables of proxies alone', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('lead no SDK anywhere: the rules of the network decide', async () => {
    await using proxy = await proxyTo({});
    for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy', 'grpc_proxy'])
      vi.stubEnv(name, proxy.url);
    await using fake = await openFakeSnowflake();
    const endpoints = { snowflake: { accessUrl: `http://127.0.0.1:${fake.port}` } };
    const config = { ...SNOWFLAKE_CONFIG, database: 'SHOP' };
    await using first = await snowflake.open(config, warehouseEnvironment({ endpoints }), NEVER);
    expect((await readAll(first, requestOf('SELECT 1 AS one'))).rows).toEqual([[1]]);
    await using scripted = await openScripted({ fields: NUMBERS, rows: numbers(6000) });
    await using second = await scripted.open();
    expect((await readAll(second, requestOf('SELECT n FROM t'))).rows).toHaveLength(6000);
    expect(proxy.asked).toEqual([]);
  });
});
