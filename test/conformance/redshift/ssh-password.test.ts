// An SSH server of the tests, for the sign-in by password, which OpenSSH allows only to a server that runs as root.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { openPostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER } from '../reading.ts';

const PASSWORD = 's3cret of ssh';

async function openSshServer() {
  const { private: hostKey, public: publicKey } = ssh2.utils.generateKeyPairSync('ed25519');
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (attempt) => {
      if (attempt.method === 'password' && attempt.username === 'tunnel' && attempt.password === PASSWORD)
        attempt.accept();
      else attempt.reject(['password']);
    });
    client.on('tcpip', (accept, _, { destIP, destPort }) => {
      const channel = accept();
      const socket = connect({ host: destIP, port: destPort });
      socket.on('error', () => channel.close());
      channel.pipe(socket).pipe(channel);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bytes = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return {
    port: String((server.address() as AddressInfo).port),
    hostKey: `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=$/, '')}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

it('the password of the SSH server opens the tunnel, and a wrong one does not', async () => {
  await using warehouse = await openPostgresWarehouse();
  await using server = await openSshServer();
  const ssh = { ssh_host: '127.0.0.1', ssh_port: server.port, ssh_user: 'tunnel', ssh_host_key: server.hostKey };
  const open = (password: string) =>
    redshift.open({ ...warehouse.config, ...ssh, ssh_password: password }, warehouseEnvironment(), NEVER);
  await using session = await open(PASSWORD);
  expect((await session.probe(NEVER)).map(({ status }) => status)).toEqual(Array(5).fill('passed'));
  await using refused = await open('wrong');
  const failure = await refused.clock(NEVER).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    code: 'WAREHOUSE_CREDENTIALS',
    message: expect.stringContaining('config.ssh_password'),
  });
});
