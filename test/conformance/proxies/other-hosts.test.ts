// Hosts besides the warehouse itself, behind a proxy: cloud storage and endpoints of tokens.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Table, tableFromArrays, tableToIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { databricks } from '../../../connectors/databricks/index.ts';
import { openBucket } from '../../../connectors/redshift/s3/bucket.ts';
import { loadAws, loadS3 } from '../../../connectors/redshift/session.ts';
import { snowflake } from '../../../connectors/snowflake/index.ts';
import { createProxyRules, parseProxy } from '../../../src/kernel/index.ts';
import { openConnectProxy } from '../../support/apis/connect-proxy.ts';
import { trustCertificate } from '../../support/apis/localhost-certificate.ts';
import { createTestAuthority } from '../../support/apis/test-authority.ts';
import { openDatabricksWire, type WireAnswer } from '../../support/fakes/databricks-wire.ts';
import { STORAGE_HOST } from '../../support/fakes/databricks-wire-results.ts';
import { openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { SNOWFLAKE_CONFIG } from '../../support/fakes/snowflake-warehouse.ts';
import { openTokenServer } from '../../support/fakes/token-server.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { answers, CONFIG as DATABRICKS, texts } from '../databricks/on-wire.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

function behind(url: string, endpoints: object = {}) {
  const proxy = parseProxy(url, 'HTTPS_PROXY');
  if (proxy === undefined) throw new Error(`${url} is no proxy.`);
  const proxyOf = createProxyRules({ https: proxy, http: proxy, except: [] });
  return warehouseEnvironment({ network: { allowedHosts: [], refused: [], proxyOf }, endpoints });
}

/** Makes one file of Arrow behind a link. */
function linkedFile(numbers: readonly number[]): WireAnswer {
  const table = tableFromArrays({ n: Int32Array.from(numbers) });
  // without the mark of the end
  const schema = Buffer.from(tableToIPC(new Table(table.schema), 'stream')).subarray(0, -8);
  const bytes = Buffer.from(tableToIPC(table, 'stream')).subarray(schema.length);
  return { schema, columns: ['n'], batches: [{ bytes, rows: numbers.length }], linked: () => 3_600_000 };
}

describe('through the proxy', () => {
  it('Databricks gets tokens of Entra ID, and files from cloud storage', async () => {
    const host = 'adb-1234567890123456.7.azuredatabricks.net';
    const [entraHost, tenantId] = ['login.microsoftonline.com', '72f988bf-86f1-41af-91ab-2d7cd011db47'];
    const authority = await createTestAuthority('Everybody');
    const { certificate: cert, key } = await authority.sign(host, entraHost, STORAGE_HOST);
    const trustAsBefore = trustCertificate(authority.certificate);
    const oauth = { clientId: 'a1b2', clientSecret: 'dose-s3cret', tenantId };
    const described = { columnSet: [texts('n'), texts('int')] };
    const answer = answers({ DESCRIBE: described, SELECT: linkedFile([1, 2, 3]) });
    await using wire = await openDatabricksWire({ answer, oauth, pair: { cert, key } });
    const names = { [host]: wire.port, [entraHost]: wire.port, [STORAGE_HOST]: wire.port };
    await using proxy = await openConnectProxy({ names });
    const signIn = { client_id: oauth.clientId, client_secret: oauth.clientSecret, azure_tenant_id: tenantId };
    await using session = await databricks.open({ ...DATABRICKS, ...signIn, host }, behind(proxy.url), NEVER);
    const { rows } = await readAll(session, requestOf('SELECT n FROM t')).finally(trustAsBefore);
    expect(rows).toEqual([[1], [2], [3]]);
    expect(new Set(proxy.asked)).toEqual(new Set([`${entraHost}:443`, `${host}:443`, `${STORAGE_HOST}:443`]));
  });

  it('Snowflake gets tokens of an identity provider', async () => {
    const body = { access_token: 'token-4711', token_type: 'bearer', expires_in: 600 };
    await using provider = await openTokenServer(() => ({ status: 200, body }));
    await using server = await openFakeSnowflake();
    const port = Number(new URL(provider.url).port);
    const names = { localhost: port, 'account.only-proxy.test': server.port };
    await using proxy = await openConnectProxy({ names });
    const { password: _, ...config } = { ...SNOWFLAKE_CONFIG, database: 'SHOP', proxy: proxy.url };
    const client = { oauth_client_id: 'penstock', oauth_client_secret: 's', oauth_token_url: provider.url };
    // the operator's proxy is not asked for this machine, the connection's own is
    const environment = warehouseEnvironment({
      endpoints: { snowflake: { accessUrl: 'http://account.only-proxy.test' } },
    });
    await using session = await snowflake.open({ ...config, ...client }, environment, NEVER);
    expect((await readAll(session, requestOf('SELECT 1 AS one'))).rows).toEqual([[1]]);
    expect(proxy.asked[0]).toBe(`localhost:${port}`);
    expect(new Set(proxy.asked)).toEqual(new Set([`localhost:${port}`, 'account.only-proxy.test:80']));
  });

  it('Redshift lists its bucket', async () => {
    const listed = '<ListBucketResult><Contents><Key>loads/a</Key></Contents></ListBucketResult>';
    const server = createServer((_, response) => response.end(listed)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await using proxy = await openConnectProxy({
      names: { 's3.only-proxy.test': (server.address() as AddressInfo).port },
    });
    const environment = behind(proxy.url, { aws: { endpoint: 'http://s3.only-proxy.test' } });
    const config = {
      ...{ host: 'localhost', database: 'd', user: 'u', password: 'p', aws_region: 'eu-west-1' },
      ...{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'secret' },
    };
    const bucket = await openBucket({ config, environment, loadAws, loadS3 }, 'shop', NEVER);
    const found = await bucket.list('loads/').finally(() => {
      bucket.close();
      server.closeAllConnections();
      server.close();
    });
    expect(found).toMatchObject([{ key: 'loads/a' }]);
    expect(proxy.asked).toEqual(['s3.only-proxy.test:80']);
  });
});
