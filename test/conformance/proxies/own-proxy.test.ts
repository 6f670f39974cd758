// The proxy of a connection, in place of the operator's: its address is checked, and its password is bound to it.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bigquery } from '../../../connectors/bigquery/index.ts';
import { databricks } from '../../../connectors/databricks/index.ts';
import { PROVIDER_FACTS } from '../../../connectors/facts.ts';
import { snowflake } from '../../../connectors/snowflake/index.ts';
import { openConnectProxy } from '../../support/apis/connect-proxy.ts';
import { CONFIG as BIGQUERY } from '../../support/bigquery/scripted.ts';
import { openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { SNOWFLAKE_CONFIG } from '../../support/fakes/snowflake-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { CONFIG as DATABRICKS, TOKEN } from '../databricks/on-wire.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const CONFIG = { ...SNOWFLAKE_CONFIG, database: 'SHOP' };
const CONNECTORS = [
  [snowflake, CONFIG],
  [bigquery, BIGQUERY],
  [databricks, { ...DATABRICKS, ...TOKEN }],
] as const;
const endpoints = { snowflake: { accessUrl: 'http://account.only-proxy.test' } };
const signedIn = { proxy_user: 'ann', proxy_password: 'hunter2' };

describe('a connection with a proxy', () => {
  it('reads through it, whatever the operator’s proxy is', async () => {
    await using server = await openFakeSnowflake();
    await using proxy = await openConnectProxy({
      ...{ names: { 'account.only-proxy.test': server.port }, signIn: 'ann:hunter2' },
    });
    const environment = warehouseEnvironment({ endpoints });
    await using session = await snowflake.open({ ...CONFIG, proxy: proxy.url, ...signedIn }, environment, NEVER);
    expect((await readAll(session, requestOf('SELECT 1 AS one'))).rows).toEqual([[1]]);
    expect(new Set(proxy.asked)).toEqual(new Set(['account.only-proxy.test:80']));
  });

  it('names the fields where the proxy refuses its user', async () => {
    await using proxy = await openConnectProxy({ signIn: 'ann:right' });
    const environment = warehouseEnvironment({ endpoints });
    await using session = await snowflake.open({ ...CONFIG, proxy: proxy.url, ...signedIn }, environment, NEVER);
    const failure = await session.clock(NEVER).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: `The proxy 127.0.0.1:${proxy.port} refused the user or password (407). Check config.proxy_user and config.proxy_password.`,
    });
    expect(inspect(failure, { depth: 12 })).not.toMatch(/hunter2|YW5uOmh1bnRlcjI/);
  });

  it('names its address where nobody listens there', async () => {
    const environment = warehouseEnvironment({ endpoints });
    await using session = await snowflake.open(
      { ...CONFIG, proxy: 'http://127.0.0.1:9', ...signedIn },
      environment,
      NEVER,
    );
    await expect(session.clock(NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: 'The proxy 127.0.0.1:9 cannot be reached: ECONNREFUSED. Check config.proxy.',
    });
  });

  it.each(CONNECTORS)('checks the address of the proxy as that of a warehouse: $product', async (connector, config) => {
    const issuesOf = (proxy: string, network: object = {}) => {
      const rules = { allowedHosts: [], refused: [], ...network };
      return connector.checkAddress({ ...config, proxy }, warehouseEnvironment({ endpoints, network: rules }));
    };
    expect(await issuesOf('http://169.254.169.254:80')).toMatchObject([{ path: 'config.proxy' }]);
    const refused = [{ host: '127.0.0.1', port: 5432 }];
    expect(await issuesOf('http://127.0.0.1:5432', { refused })).toMatchObject([{ path: 'config.proxy' }]);
    const listed = { allowedHosts: ['*.googleapis.com', '*.only-proxy.test', DATABRICKS.host] };
    const [issue] = await issuesOf('http://127.0.0.1:3128', listed);
    expect(issue).toMatchObject({ path: 'config.proxy', message: expect.stringContaining('PENSTOCK_WAREHOUSE_HOSTS') });
    expect(await issuesOf('http://127.0.0.1:3128')).toEqual([]);
  });

  it.each(CONNECTORS)('checks what stands behind the proxy by its name: $product', async (connector, config) => {
    const network = { allowedHosts: ['127.0.0.1'], refused: [] };
    const environment = warehouseEnvironment({ network });
    const given = { ...config, proxy: 'http://127.0.0.1:3128' };
    const issues = await connector.checkAddress(given, environment);
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.map(({ path }) => path)).not.toContain('config.proxy');
  });

  it.each(CONNECTORS)(
    'refuses an address with a password, and half of a sign-in: $product',
    async (connector, config) => {
      for (const proxy of ['http://ann:hunter2@out:3128', 'socks5://out:1080', 'out:3128', 'http://out/path']) {
        const issues = connector.checkConfig({ ...config, proxy });
        expect(issues).toMatchObject([{ path: 'config.proxy', message: expect.stringContaining('proxy_password') }]);
        expect(JSON.stringify(issues)).not.toContain('hunter2');
      }
      for (const half of [{ proxy_user: 'ann' }, { proxy: 'http://127.0.0.1:3128', proxy_password: 'hunter2' }])
        expect(await connector.checkAddress({ ...config, ...half }, warehouseEnvironment({ endpoints }))).toMatchObject(
          [{ path: 'config.proxy' }],
        );
    },
  );

  it.each(['Alpha', 'Beta', 'Delta'] as const)('keeps its password for this proxy alone: %s', (provider) => {
    const { secretFields, addressFields } = PROVIDER_FACTS[provider];
    expect(secretFields).toContain('proxy_password');
    expect(addressFields).toContain('proxy');
  });
});
