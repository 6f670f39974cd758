// An SSH server of the tests, for the sign-in by password, which OpenSSH allows only to a server that runs as root.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { openSshServer, SSH_PASSWORD, SSH_USER, type SshServer } from '../../support/fakes/ssh-server.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER } from '../reading.ts';

let server: SshServer;
let warehouse: PostgresWarehouse;

beforeAll(async () => {
  [server, warehouse] = await Promise.all([openSshServer(), openPostgresWarehouse()]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

function openWith(changed: object) {
  const ssh = {
    ssh_host: '127.0.0.1',
    ssh_port: String(server.port),
    ssh_user: SSH_USER,
    ssh_host_key: server.hostKey,
  };
  const config = { ...warehouse.config, ...ssh, ssh_password: SSH_PASSWORD, ...changed };
  return redshift.open(config, warehouseEnvironment(), NEVER);
}

it('the password of the SSH server opens the tunnel, and a wrong one does not', async () => {
  await using session = await openWith({});
  expect((await session.probe(NEVER)).map(({ status }) => status)).toEqual(Array(5).fill('passed'));
  await using refused = await openWith({ ssh_password: 'wrong' });
  const failure = await refused.clock(NEVER).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    code: 'WAREHOUSE_CREDENTIALS',
    message: expect.stringContaining('config.ssh_password'),
  });
});

it('several hosts behind an SSH server are tried in order', async () => {
  await using session = await openWith({ host: `db.invalid,${warehouse.config.host}`, sslmode: 'disable' });
  await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
});
