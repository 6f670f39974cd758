import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import type { Session } from '../../../src/warehouse/index.ts';
import { CERTIFICATE } from '../../support/apis/localhost-certificate.ts';
import { openTlsProxy } from '../../support/apis/tls-proxy.ts';
import { until } from '../../support/clocks/until.ts';
import { openLossyProxy } from '../../support/crashes/lossy-proxy.ts';
import { openPostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { openOn } from './open-on.ts';

const stagesOf = async (session: Session) => {
  const taken = (await session.probe(NEVER)).filter(({ status }) => status !== 'skipped');
  return taken.map(({ name, status, message }) => ({ name, status, message })).at(-1);
};

describe('the probe', () => {
  const role = () => `r_${randomUUID().slice(0, 8)}`;

  it.each<readonly [string, object, string, string]>([
    ['password', { password: 'wrong' }, 'sign_in', 'password'],
    ['user', { user: 'nobody' }, 'sign_in', 'nobody'],
    ['database', { database: 'nowhere' }, 'sign_in', 'config.database'],
    ['port', { port: '1' }, 'reach', 'config.port'],
    ['host', { host: 'nowhere.invalid' }, 'reach', 'nowhere.invalid'],
  ])('says that the %s is wrong', async (_, changed, ...[name, message]) => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse, changed);
    expect(await stagesOf(session)).toEqual({ name, status: 'failed', message: expect.stringContaining(message) });
  });

  it('warns of a user that may do more than read', async () => {
    await using warehouse = await openPostgresWarehouse();
    const [reader, mighty] = [role(), role()];
    await warehouse.seed([
      'CREATE TABLE orders (a integer)',
      `CREATE ROLE ${reader} LOGIN PASSWORD 'x'`,
      `CREATE ROLE ${mighty} LOGIN SUPERUSER PASSWORD 'x'`,
      `GRANT SELECT ON orders TO ${reader}`,
    ]);
    const messageFor = async (user: string) => {
      await using session = await openOn(warehouse, { user, password: 'x' });
      return (await stagesOf(session))?.message;
    };
    expect(await messageFor(reader)).toBe('1 of 1 tables and views can be read.');
    await warehouse.seed([`GRANT pg_read_server_files TO ${reader}`]);
    expect(await messageFor(reader)).toContain('may do more than read (pg_read_server_files)');
    expect(await messageFor(mighty)).toMatch(/may do more than read \(.*superuser.*USAGE and SELECT only/);
    await warehouse.seed([`DROP OWNED BY ${reader}`, `DROP ROLE ${reader}, ${mighty}`]);
  });

  it('names each grant that is missing, one after the other', async () => {
    await using warehouse = await openPostgresWarehouse();
    const user = role();
    const { database } = warehouse.config;
    await warehouse.seed([
      `CREATE ROLE ${user} LOGIN PASSWORD 'x'`,
      `REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`,
      'CREATE SCHEMA sales',
      'CREATE TABLE sales.orders (a integer, b integer)',
    ]);
    const ask = async () => {
      await using session = await openOn(warehouse, { user, password: 'x' });
      return await stagesOf(session);
    };
    expect(await ask()).toEqual({
      name: 'sign_in',
      status: 'failed',
      message: expect.stringContaining('permission denied for database'),
    });
    await warehouse.seed([`GRANT CONNECT ON DATABASE ${database} TO ${user}`]);
    expect(await ask()).toEqual({
      name: 'use_objects',
      status: 'failed',
      message: expect.stringContaining(`GRANT USAGE ON SCHEMA sales TO ${user}`),
    });
    await warehouse.seed([`GRANT USAGE ON SCHEMA sales TO ${user}`]);
    expect(await ask()).toEqual({
      name: 'read',
      status: 'failed',
      message: expect.stringContaining('GRANT SELECT ON ALL TABLES IN SCHEMA sales'),
    });
    await warehouse.seed([`GRANT SELECT (b) ON sales.orders TO ${user}`]);
    expect(await ask()).toEqual({ name: 'read', status: 'passed', message: '1 of 1 tables and views can be read.' });
    await warehouse.seed([`ALTER ROLE ${user} CONNECTION LIMIT 0`]);
    expect(await ask()).toEqual({ name: 'sign_in', status: 'failed', message: expect.stringContaining('53300') });
    await warehouse.seed([`DROP OWNED BY ${user}`, `DROP ROLE ${user}`]);
  });
});

describe('TLS', () => {
  const LOCALHOST = { host: 'localhost', sslrootcert: CERTIFICATE };
  it.each([
    ['verify-full', LOCALHOST],
    ['verify-ca', { host: '127.0.0.1', sslrootcert: CERTIFICATE }],
    ['require', { host: '127.0.0.1' }],
    ['prefer', { host: '127.0.0.1' }],
    [undefined, { host: '127.0.0.1' }],
  ])('with sslmode %s is spoken, to cancel as well', async (sslmode, place) => {
    await using warehouse = await openPostgresWarehouse();
    await using proxy = await openTlsProxy({ host: '127.0.0.1', port: Number(warehouse.config.port) });
    const { sslmode: _, ...plain } = warehouse.config;
    const config = { ...plain, ...place, port: String(proxy.port), ...(sslmode === undefined ? {} : { sslmode }) };
    await using session = await redshift.open(config, warehouseEnvironment(), NEVER);
    expect(await session.probe(NEVER)).toMatchObject([
      { status: 'passed' },
      { name: 'tls', message: 'The connection is encrypted.' },
      { name: 'sign_in', status: 'passed' },
      { name: 'use_objects', status: 'passed' },
      { status: 'passed' },
    ]);
    const stop = new AbortController();
    const reading = readAll(session, requestOf('SELECT pg_sleep(600)'), stop.signal);
    await until(
      async () =>
        (
          await warehouse.ask(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
          )
        ).length === 1,
    );
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(
      await warehouse.ask(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
      ),
    ).toEqual([]);
    expect(proxy.seen.plain).toBe(0);
  });

  it.each([
    ['verify-full', { host: 'localhost' }],
    ['verify-full', { host: '127.0.0.1', sslrootcert: CERTIFICATE }],
    ['verify-ca', { host: 'localhost' }],
  ])('with sslmode %s refuses a certificate that does not hold: %j', async (sslmode, place) => {
    await using warehouse = await openPostgresWarehouse();
    await using proxy = await openTlsProxy({ host: '127.0.0.1', port: Number(warehouse.config.port) });
    await using session = await openOn(warehouse, { ...place, port: String(proxy.port), sslmode });
    const refusal = { code: 'WAREHOUSE_CONFIG', message: expect.stringContaining('config.sslrootcert') };
    await expect(session.clock(NEVER)).rejects.toMatchObject(refusal);
    expect(await stagesOf(session)).toMatchObject({ name: 'tls', status: 'failed' });
  });

  it('is not needed where it is only preferred, and is where it is required', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using proxy = await openLossyProxy({ host: '127.0.0.1', port: Number(warehouse.config.port) });
    await using preferring = await openOn(warehouse, { port: String(proxy.port), sslmode: 'prefer' });
    await expect(preferring.clock(NEVER)).resolves.toBeTypeOf('bigint');
    await using requiring = await openOn(warehouse, { sslmode: 'require' });
    await expect(requiring.clock(NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('disable'),
    });
  });
});

describe('the address', () => {
  it('of the store is refused before anything opens, when it is saved and when it is opened', async () => {
    await using warehouse = await openPostgresWarehouse();
    const { host, port } = warehouse.config;
    const environment = warehouseEnvironment({
      network: { allowedHosts: [], refused: [{ host: 'localhost', port: Number(port) }] },
    });
    const [issue] = (await redshift.checkAddress?.(warehouse.config, environment)) ?? [];
    expect(issue).toEqual({
      path: 'config.host',
      message: expect.stringContaining(`${host}:${port} is Penstock’s own store`),
    });
    await using session = await redshift.open(warehouse.config, environment, NEVER);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    expect(await stagesOf(session)).toMatchObject({ name: 'reach', status: 'failed' });
    expect(await warehouse.connections()).toBe(0);
  });

  it.each(['/var/run/postgresql', 'postgres://h', 'h:5432', 'a b', '', '@'])('is none: %j', (host) => {
    expect(redshift.checkConfig({ host, database: 'd', user: 'u', password: 'p' })).toMatchObject([
      { path: 'config.host' },
    ]);
  });

  it.each(['0', '65536', '-1', '5432x', ''])('has no port %j', (port) => {
    expect(redshift.checkConfig({ host: 'h', port, database: 'd', user: 'u', password: 'p' })).toMatchObject([
      { path: 'config.port' },
    ]);
  });
});
