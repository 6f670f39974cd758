// PostgreSQL through OpenSSH's own server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redshift } from '../../connectors/redshift/index.ts';
import { chooseFreePort } from '../../src/store/embedded/port.ts';
import { NEVER, readAll, requestOf } from '../conformance/reading.ts';
import { CERTIFICATE } from '../support/apis/localhost-certificate.ts';
import { openTlsProxy } from '../support/apis/tls-proxy.ts';
import { until } from '../support/clocks/until.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../support/fakes/warehouse-environment.ts';
import { openSshd, type Sshd } from '../support/warehouses/sshd.ts';

let sshd: Sshd;
let warehouse: PostgresWarehouse;

beforeAll(async () => {
  [sshd, warehouse] = await Promise.all([openSshd(['AllowTcpForwarding local']), openPostgresWarehouse()]);
});
afterAll(async () => {
  await sshd[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

function configOf(server: Sshd, changed: object = {}) {
  const ssh = { ssh_host: 'localhost', ssh_port: String(server.port), ssh_user: server.user };
  return { ...warehouse.config, ...ssh, ssh_host_key: server.hostKey, ssh_private_key: server.privateKey, ...changed };
}

async function failureOf(server: Sshd, changed: object): Promise<unknown> {
  await using session = await redshift.open(configOf(server, changed), warehouseEnvironment(), NEVER);
  return session.clock(NEVER).catch((failure: unknown) => failure);
}

describe('a database behind an SSH server', () => {
  it('is probed and read, many rows at a time, and the SSH connection ends with the session', async () => {
    {
      await using session = await redshift.open(configOf(sshd), warehouseEnvironment(), NEVER);
      expect((await session.probe(NEVER)).map(({ status }) => status)).toEqual(Array(5).fill('passed'));
      const query = "SELECT n, repeat('x', 1000) AS text FROM generate_series(1, 20000) AS n";
      const { rows } = await readAll(session, requestOf(query, { chunkRows: 1000 }));
      expect(rows).toHaveLength(20_000);
      expect(rows.at(-1)).toEqual([20_000, 'x'.repeat(1000)]);
    }
    await until(async () => (await warehouse.connections()) === 0);
    expect(await sshd.log()).toContain('Accepted publickey');
  });

  it('is cancelled through it', async () => {
    await using session = await redshift.open(configOf(sshd), warehouseEnvironment(), NEVER);
    const stop = new AbortController();
    const reading = readAll(session, requestOf('SELECT pg_sleep(600)'), stop.signal);
    const asleep = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    await until(async () => (await warehouse.ask(asleep)).length === 1);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    await until(async () => (await warehouse.ask(asleep)).length === 0);
  });

  it('is verified by TLS inside the tunnel', async () => {
    await using proxy = await openTlsProxy({ host: '127.0.0.1', port: Number(warehouse.config.port) });
    const tls = { host: 'localhost', port: String(proxy.port), sslmode: 'verify-full' };
    const config = configOf(sshd, { ...tls, sslrootcert: CERTIFICATE });
    await using session = await redshift.open(config, warehouseEnvironment(), NEVER);
    expect((await session.probe(NEVER))[1]).toMatchObject({ message: 'The connection is encrypted.' });
    await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
    expect(await failureOf(sshd, tls)).toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    expect(proxy.seen.plain).toBe(0);
  });

  it('is not reached where the host key is another one, and the message names the key', async () => {
    expect(await failureOf(sshd, { ssh_host_key: `SHA256:${'A'.repeat(43)}` })).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining(`${sshd.hostKey}, which is not config.ssh_host_key`),
    });
  });

  it.each<[string, () => object]>([
    ['another user', () => ({ ssh_user: 'somebody' })],
    ['a password', () => ({ ssh_private_key: undefined, ssh_password: 'wr0ng' })],
    ['a key that cannot be read', () => ({ ssh_private_key: '-----BEGIN OPENSSH PRIVATE KEY-----\nx' })],
  ])('is not reached by %s', async (_, changed) => {
    const failure = await failureOf(sshd, changed());
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('config.ssh_user'),
    });
    expect(String(failure)).not.toContain('wr0ng');
  });

  it('that does not listen is unreachable, which the SSH server says', async () => {
    expect(await failureOf(sshd, { port: String(await chooseFreePort()) })).toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: expect.stringMatching(/SSH server cannot reach .*Connection refused.*config\.host/),
    });
    expect(await failureOf(sshd, { ssh_port: String(await chooseFreePort()) })).toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: expect.stringContaining('config.ssh_host'),
    });
  });

  it('is refused by a server that does not forward', async () => {
    await using closed = await openSshd(['AllowTcpForwarding no']);
    expect(await failureOf(closed, {})).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('AllowTcpForwarding'),
    });
  });

  it('that dies is met by the next question', async () => {
    const mortal = await openSshd(['AllowTcpForwarding local']);
    await using session = await redshift.open(configOf(mortal), warehouseEnvironment(), NEVER);
    await session.clock(NEVER);
    await warehouse.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader' AND datname = current_database()",
    );
    await mortal[Symbol.asyncDispose]();
    await expect(session.clock(NEVER)).rejects.toMatchObject({ disposition: 'retry' });
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
  });
});
