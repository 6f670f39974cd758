import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RedshiftConfig } from '../../../connectors/redshift/config.ts';
import { redshift } from '../../../connectors/redshift/index.ts';
import { openLink } from '../../../connectors/redshift/link/link.ts';
import { probe } from '../../../connectors/redshift/probe.ts';
import { loadSdk, loadSsh } from '../../../connectors/redshift/session.ts';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { openFakePostgres, says } from '../../support/fakes/fake-postgres.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { type OwnServers, openOwnServers } from '../../support/stores/own-servers.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { applyRequest, staged, writeBackOf } from '../writing-back.ts';

const HBA = 'host all penstock 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n';

let servers: OwnServers;
/** Ports of a primary, of a hot standby, and one where nobody listens. */
let [primary, standby, nobody] = ['', '', ''];

beforeAll(async () => {
  servers = await openOwnServers([
    { files: { 'pg_hba.conf': HBA } },
    { files: { 'pg_hba.conf': HBA, 'standby.signal': '' } },
  ]);
  [primary = '', standby = ''] = servers.ports.map(String);
  nobody = String(await chooseFreePort());
});
afterAll(() => servers[Symbol.asyncDispose]());

function configOf(port: string, attributes?: string) {
  const host = port
    .split(',')
    .map(() => '127.0.0.1')
    .join();
  const base = { host, port, database: 'postgres', user: 'penstock', password: servers.password };
  return { ...base, sslmode: 'disable', ...(attributes === undefined ? {} : { target_session_attrs: attributes }) };
}

const SSH = { ssh_host: '127.0.0.1', ssh_user: 'u', ssh_host_key: `SHA256:${'A'.repeat(43)}`, ssh_password: 'p' };

async function depsOf(connectMs: number, config: RedshiftConfig) {
  const login = async () => ({ user: 'penstock', password: servers.password });
  return { pg: await loadSdk(), loadSsh, config, environment: warehouseEnvironment(), login, connectMs };
}

async function connectWithin(connectMs: number, config: RedshiftConfig) {
  return await openLink(await depsOf(connectMs, config), NEVER);
}

async function portFor(port: string, attributes?: string): Promise<unknown> {
  await using session = await redshift.open(configOf(port, attributes), warehouseEnvironment(), NEVER);
  const { rows } = await readAll(session, requestOf('SELECT inet_server_port() AS port'));
  return String(rows[0]?.[0]);
}

describe('several hosts', () => {
  it('are tried in order, whether or not somebody listens', async () => {
    expect(await portFor(`${primary},${standby}`)).toBe(primary);
    expect(await portFor(`${standby},${primary}`)).toBe(standby);
    expect(await portFor(`${nobody},${standby},${primary}`)).toBe(standby);
  });

  it.each<[string, () => string, () => string]>([
    ['any', () => `${standby},${primary}`, () => standby],
    ['read-write', () => `${standby},${primary}`, () => primary],
    ['primary', () => `${standby},${primary}`, () => primary],
    ['read-only', () => `${primary},${standby}`, () => standby],
    ['standby', () => `${primary},${standby}`, () => standby],
    ['prefer-standby', () => `${primary},${nobody},${standby}`, () => standby],
    ['prefer-standby', () => `${nobody},${primary}`, () => primary],
  ])('of which %s is wanted', async (attributes, ports, wanted) => {
    expect(await portFor(ports(), attributes)).toBe(wanted());
  });

  it('of which none is wanted are unreachable, and the message names both fields', async () => {
    await expect(portFor(`${standby},${standby}`, 'read-write')).rejects.toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      disposition: 'retry',
      message: 'No server of config.host is what config.target_session_attrs asks for: read-write.',
    });
  });

  it('that all refuse say why the last one did', async () => {
    await expect(portFor(`${nobody},${nobody}`)).rejects.toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('are written to where one takes writes, also when standbys are preferred for reading', async () => {
    const environment = { ...warehouseEnvironment(), writes: true } as const;
    await servers.seed(Number(primary), [
      'CREATE TABLE people (id integer, mpid bigint)',
      'INSERT INTO people VALUES (1, NULL)',
    ]);
    const config = configOf(`${standby},${primary}`, 'prefer-standby');
    await using session = await redshift.open(config, environment, NEVER);
    const target = {
      table: 'people',
      key: [{ name: 'id', type: 'integer', nativeType: 'integer' }],
      mpid: { name: 'mpid', type: 'integer', nativeType: 'bigint' },
    } as const;
    const outcome = await writeBackOf(session).apply(applyRequest(target, [staged([1n], 7n)]), NEVER);
    expect(outcome).toMatchObject({ updated: 1 });
  });

  it('go on past a server that is starting, and stop where one refuses the user', async () => {
    await using starting = await openFakePostgres(() => [says.error('57P03', 'the database system is starting up')]);
    expect(await portFor(`${starting.port},${primary}`)).toBe(primary);
    await using refusing = await openFakePostgres(() => [says.error('28P01', 'password authentication failed')]);
    await expect(portFor(`${refusing.port},${primary}`)).rejects.toMatchObject({ code: 'WAREHOUSE_CREDENTIALS' });
  });

  it('are probed where one accepts connections', async () => {
    await using session = await redshift.open(configOf(`${nobody},${primary}`), warehouseEnvironment(), NEVER);
    expect((await session.probe(NEVER)).map(({ status }) => status)).toEqual(Array(5).fill('passed'));
  });

  it('are all held to the operator’s rules', async () => {
    const refused = [{ host: 'localhost', port: Number(standby) }];
    const environment = warehouseEnvironment({ network: { allowedHosts: [], refused } });
    const config = configOf(`${primary},${standby}`);
    expect(await redshift.checkAddress?.(config, environment)).toMatchObject([{ path: 'config.host' }]);
    expect(await redshift.checkAddress?.({ ...config, host: '127.0.0.1,nowhere.invalid' }, environment)).toEqual([]);
    await using session = await redshift.open(config, environment, NEVER);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
  });

  it.each<[string, (silent: number) => Partial<RedshiftConfig>, number]>([
    ['directly', () => ({}), 2],
    ['through an SSH server', (silent) => ({ ...SSH, ssh_port: String(silent) }), 1],
  ])('have one time limit together, and the message names those that were tried: %s', async (_, fields, tried) => {
    await using silent = await openFakePostgres(() => []);
    const ports = [nobody, silent.port, primary].map(String);
    const failure = connectWithin(400, { ...configOf(ports.join()), ...fields(silent.port) });
    const named = ports.map((port) => `127.0.0.1:${port}`);
    await expect(failure).rejects.toMatchObject({
      ...{ code: 'WAREHOUSE_UNREACHABLE', disposition: 'retry' },
      message:
        `No server accepted the connection within 0.4 s. Tried: ${named.slice(0, tried).join(', ')}. Not tried: ` +
        `${named.slice(tried).join(', ')}. Check config.host and config.port, and remove hosts that do not answer.`,
    });
  });

  it('are probed within that limit', async () => {
    await using silent = await openFakePostgres(() => []);
    const config = { ...configOf(`${nobody},${primary}`), ...SSH, ssh_port: String(silent.port) };
    const stages = await probe(await depsOf(400, config), () => Promise.reject(new Error('unused')), NEVER);
    expect(stages[0]).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(`within 0.4 s. Tried: 127.0.0.1:${nobody}. Not tried: 127.0.0.1:${primary}.`),
    });
  });

  it('of which one falls silent after the sign-in end with that limit, too', async () => {
    const signsIn = [says.authentication(0), says.keys(), says.ready()];
    await using silent = await openFakePostgres(({ type }) => (type === 'startup' ? signsIn : []));
    await expect(connectWithin(400, configOf(String(silent.port), 'read-write'))).rejects.toMatchObject({
      message: expect.stringMatching(`Tried: 127.0.0.1:${silent.port}. Check`),
    });
  });

  it('of which one has a name that nobody knows are the others', async () => {
    const config = { ...configOf(`${primary},${standby}`), host: 'nowhere.invalid,127.0.0.1' };
    await using session = await redshift.open(config, warehouseEnvironment(), NEVER);
    await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
  });
});

it.each([
  [{ host: 'a,,b' }, 'config.host'],
  [{ host: Array(9).fill('a').join() }, 'config.host'],
  [{ host: 'a,b', port: '1,x' }, 'config.port'],
  [{ host: 'a,b', port: '1,2,3' }, 'config'],
  [{ target_session_attrs: 'best' }, 'config.target_session_attrs'],
])('%j is refused', (changed, path) => {
  const config = { host: 'a', database: 'd', user: 'u', password: 'p', ...changed };
  expect(redshift.checkConfig(config)).toMatchObject([{ path }]);
});
