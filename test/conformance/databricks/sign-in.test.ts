// Ways to sign in, with the real SDK against a wire server of ours that hands out tokens as the vendors do.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { databricks } from '../../../connectors/databricks/index.ts';
import { databricksEndpoint } from '../../support/fakes/databricks-warehouse.ts';
import { NEVER } from '../reading.ts';
import { answers, CLOCK, CONFIG, openWire } from './on-wire.ts';

const answer = answers({ 'SELECT CAST(unix_micros': CLOCK });
const tokensOf = ({ wire }: Awaited<ReturnType<typeof openWire>>) => wire.seen.filter((url) => url.endsWith('/token'));

describe('a service principal of Databricks', () => {
  const oauth = { clientId: 'a1b2', clientSecret: 'dose-s3cret' };

  it('gets a token with the id and the secret, from the workspace itself', async () => {
    const good = { client_id: oauth.clientId, client_secret: oauth.clientSecret };
    await using opened = await openWire({ oauth, answer }, good);
    expect(await opened.session.clock(NEVER)).toBe(1_704_067_200_000_001n);
    expect(opened.wire.seen[0]).toBe(`POST https://${CONFIG.host}/oidc/v1/token`);
    expect(tokensOf(opened)).toHaveLength(1);
  });

  it('gets a new token before the old one ends, in the middle of a session', async () => {
    const good = { client_id: oauth.clientId, client_secret: oauth.clientSecret };
    await using opened = await openWire({ oauth: { ...oauth, lifetimes: [30, 3600] }, answer }, good);
    await opened.session.clock(NEVER);
    await opened.session.clock(NEVER);
    expect(tokensOf(opened)).toHaveLength(2);
  });

  it('says that the secret is wrong, and does not repeat it', async () => {
    await using opened = await openWire({ oauth, answer }, { client_id: oauth.clientId, client_secret: 'wr0ng' });
    const stages = await opened.session.probe(NEVER);
    expect(stages.map(({ name, status }) => [name, status])).toEqual([
      ['reach', 'passed'],
      ['tls', 'passed'],
      ['sign_in', 'failed'],
      ['use_objects', 'skipped'],
      ['read', 'skipped'],
    ]);
    expect(stages[2]?.message).toContain('config.client_secret');
    expect(JSON.stringify(stages)).not.toContain('wr0ng');
  });

  it('takes no token that is longer than tokens are', async () => {
    const signInAnswer = { status: 200, body: { access_token: 'x'.repeat(300_000), expires_in: 3600 } };
    const good = { client_id: oauth.clientId, client_secret: oauth.clientSecret };
    await using opened = await openWire({ oauth, answer, signInAnswer }, good);
    await expect(opened.session.clock(NEVER)).rejects.toMatchObject({
      ...{ code: 'WAREHOUSE_DATA', message: `An answer of ${CONFIG.host} has more than 262144 bytes.` },
    });
    expect(opened.wire.seen).toHaveLength(1);
  });
});

describe('a service principal of Microsoft Entra ID', () => {
  const tenantId = '72f988bf-86f1-41af-91ab-2d7cd011db47';
  const oauth = { clientId: 'a1b2', clientSecret: 'dose-s3cret', tenantId };
  const azure = {
    ...{ host: 'adb-1234567890123456.7.azuredatabricks.net', azure_tenant_id: tenantId },
    ...{ client_id: oauth.clientId, client_secret: oauth.clientSecret },
  };

  it('gets a token for the resource of Databricks from its tenant', async () => {
    await using opened = await openWire({ oauth, answer }, azure);
    expect(await opened.session.clock(NEVER)).toBe(1_704_067_200_000_001n);
    const [first, ...others] = opened.wire.seen;
    expect(first).toBe(`POST https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`);
    expect(new Set(others)).toEqual(new Set([`POST https://${azure.host}${CONFIG.http_path}`]));
  });

  it.each([
    ['adb-1.2.databricks.azure.us', 'login.microsoftonline.us'],
    ['adb-1.2.databricks.azure.cn', 'login.chinacloudapi.cn'],
  ])('of the workspace %s gets its token from %s', async (host, entraHost) => {
    await using opened = await openWire({ oauth, answer }, { ...azure, host });
    await opened.session.clock(NEVER);
    expect(tokensOf(opened)).toEqual([`POST https://${entraHost}/${tenantId}/oauth2/v2.0/token`]);
  });

  it('reads why it gets no token, without its secret', async () => {
    await using opened = await openWire({ oauth, answer }, { ...azure, client_secret: 'wr0ng' });
    const failure = await opened.session.clock(NEVER).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      ...{ code: 'WAREHOUSE_CREDENTIALS', message: expect.stringContaining('config.azure_tenant_id') },
    });
    expect(inspect(failure, { depth: 9 })).not.toContain('wr0ng');
  });

  it('gets a new token before the old one ends, in the middle of a session', async () => {
    await using opened = await openWire({ oauth: { ...oauth, lifetimes: [30, 3600] }, answer }, azure);
    await opened.session.clock(NEVER);
    await opened.session.clock(NEVER);
    expect(tokensOf(opened)).toHaveLength(2);
  });

  it('has its token endpoint checked like every other address', async () => {
    await using opened = await openWire({ oauth, answer }, azure);
    const environment = databricksEndpoint(opened.wire.port);
    let checks = 0;
    const store = { host: '127.0.0.1', port: opened.wire.port };
    const network = {
      allowedHosts: [],
      // the first check is the one of the workspace
      get refused() {
        checks += 1;
        return checks === 1 ? [] : [store];
      },
    };
    await using session = await databricks.open({ ...CONFIG, ...azure }, { ...environment, network }, NEVER);
    await expect(session.clock(NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('which is not allowed'),
    });
    expect(opened.wire.seen).toEqual([]);
  });

  it('is refused on save where no setting allows the host of the tenants', async () => {
    const allowed = (...hosts: readonly string[]) => ({
      ...databricksEndpoint(1, { endpoints: {} }),
      network: { allowedHosts: hosts, refused: [] },
    });
    const check = (...hosts: readonly string[]) =>
      databricks.checkAddress?.({ ...CONFIG, ...azure }, allowed(...hosts));
    expect(await check('*.azuredatabricks.net')).toMatchObject([
      { path: 'config.azure_tenant_id', message: expect.stringContaining('login.microsoftonline.com') },
    ]);
    expect(await check('*.azuredatabricks.net', 'login.microsoftonline.com')).toEqual([]);
  });

  it.each([
    ['a host of another cloud', { ...azure, host: CONFIG.host }, 'config.host is no workspace of Azure'],
    ['a token beside it', { ...azure, client_id: undefined, client_secret: undefined, token: 't' }, 'only one way'],
    ['no secret', { ...azure, client_secret: undefined }, 'config.client_secret is missing'],
  ])('is refused with %s', async (_, config, message) => {
    await using opened = await openWire({ oauth, answer }, config);
    await expect(opened.session.clock(NEVER)).rejects.toMatchObject({
      ...{ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining(message) },
    });
  });

  it.each(['../consumers', 'a/b', 'a?b', 'contoso..com', '.', ''])('has no tenant %j', async (azure_tenant_id) => {
    const open = () => databricks.open({ ...CONFIG, ...azure, azure_tenant_id }, databricksEndpoint(1), NEVER);
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('azure_tenant_id') });
  });
});
